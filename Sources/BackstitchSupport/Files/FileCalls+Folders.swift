import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileCalls {
    /// Makes a folder of mode 0700 durably, regardless of the umask; an existing one stays as it is.
    package static func makeFolder(_ path: String, withParents: Bool = false) throws {
        do {
            if try makeUnsyncedFolder(path) { try syncFolder(parent(of: path)) }
        } catch let error as SystemError {
            guard withParents, parent(of: path) != path, error.number == ENOENT else { throw error }
            try makeFolder(parent(of: path), withParents: true)
            try makeFolder(path)
        }
    }

    /// Does the same for code that syncs the parent folder later. Returns false if the folder exists.
    package static func makeUnsyncedFolder(_ path: String) throws -> Bool {
        guard mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return false }
            throw SystemError.last("mkdir", path, to: "make the folder")
        }
        guard chmod(path, 0o700) == 0 else { throw SystemError.last("chmod", path, to: "set the mode of") }
        return true
    }

    /// Makes a folder of mode 0700, with its parents, and makes it durable even if it exists. The process that made it
    /// may have ended before it synced it. An existing folder keeps its mode.
    ///
    /// - Throws: ``NotAFolder`` if the path names a link or a file: a link can lead to another place each time.
    package static func makeRealFolder(_ path: String) throws {
        let parent = parent(of: path)
        if parent != path, !FileManager.default.fileExists(atPath: parent) { try makeRealFolder(parent) }
        if try makeUnsyncedFolder(path) { return try syncFolder(parent, isRequired: true) }
        guard let mode = try mode(of: path), mode & S_IFMT == S_IFDIR else { throw NotAFolder(path: path) }
        // If this process may not read the parent folder, another one has made this folder.
        if access(parent, R_OK) == 0 { try syncFolder(parent, isRequired: true) }
    }

    /// Makes a private folder for files that may be lost, and returns its path.
    ///
    /// - Parameter name: The beginning of the folder's name.
    package static func makeTemporaryFolder(_ name: String) throws -> String {
        var path = Array(
            FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-XXXXXX").path.utf8CString)
        guard mkdtemp(&path) != nil else { throw SystemError.last("mkdtemp", name, to: "make a temporary folder for") }
        return String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Makes the entries of a folder durable.
    ///
    /// - Parameter isRequired: Whether it is an error if the file system reports that it cannot sync a folder.
    ///   Otherwise the folder is as durable as this file system can make it.
    package static func syncFolder(_ path: String, isRequired: Bool = false) throws {
        let descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw SystemError.last("open", path, to: "open the folder") }
        let folder = OpenFile(descriptor: descriptor, path: path)
        defer { folder.close() }
        guard fsync(descriptor) != 0, isRequired || errno != EINVAL && errno != ENOTSUP else { return }
        throw SystemError.last("fsync", path, to: "sync the folder")
    }

    /// Lists the names in a folder; none if there is no such folder.
    package static func names(in path: String) throws -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw SystemError(call: "readdir", action: "list the folder", path: path, cause: error)
        }
    }

    /// Returns the missing folder nearest to the root, of the folders above a path; nil if all exist.
    package static func uppermostMissing(above path: String) -> String? {
        var missing: String?
        var folder = parent(of: path)
        while FileState(of: folder) == nil, errno == ENOENT {
            missing = folder
            let next = parent(of: folder)
            if next == folder { break }
            folder = next
        }
        return missing
    }

    /// Returns the parent folder of a file or folder.
    package static func parent(of path: String) -> String {
        let parent = (path as NSString).deletingLastPathComponent
        return parent.isEmpty ? "." : parent
    }
}
