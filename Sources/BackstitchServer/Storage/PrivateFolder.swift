import Backstitch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Folders and files that only the server's user can read.
enum PrivateFolder {
    /// Makes a folder that nobody else has, whatever the server's randomness gives.
    static func temporary(_ name: String) throws -> URL {
        var path = Array(
            FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-XXXXXX").path.utf8CString)
        guard mkdtemp(&path) != nil else { throw SystemError.last("mkdtemp", name) }
        return URL(fileURLWithPath: String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// Makes a folder, with those around it, so that it survives a loss of power. One that is there stays as it is,
    /// with its mode: who made it knows what for.
    ///
    /// - Throws: ``ZoneServerError`` where a link or a file stands in its place: what is behind a link can be another
    ///   thing each time.
    static func make(_ folder: URL) throws {
        let parent = folder.deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: parent.path), parent.path != folder.path { try make(parent) }
        if mkdir(folder.path, 0o700) == 0 { return try synchronize(parent) }
        guard errno == EEXIST else { throw SystemError.last("mkdir", folder.path) }
        guard try mode(of: folder) & S_IFMT == S_IFDIR else {
            throw ZoneServerError(
                .storageUnavailable,
                "'\(folder.path)' is a link or a file, and not a folder; give the folder's own path")
        }
        // A server that came to an end right after making it may not have waited for the disk. Where the folder around
        // it may not be read, somebody else has made this one.
        if access(parent.path, R_OK) == 0 { try synchronize(parent) }
    }

    /// Whether other users of the machine can put files into a folder.
    static func isWritableByOthers(_ folder: URL) throws -> Bool { try mode(of: folder) & 0o022 != 0 }

    /// - Throws: ``ZoneServerError`` where a link stands in the place of a file.
    static func refuseLink(_ file: URL) throws {
        var info = stat()
        guard lstat(file.path, &info) == 0 else {
            guard errno == ENOENT else { throw SystemError.last("lstat", file.path) }
            return
        }
        guard info.st_mode & S_IFMT == S_IFREG else {
            throw ZoneServerError(.storageUnavailable, "'\(file.path)' is a link; remove it")
        }
    }

    private static func mode(of file: URL) throws -> mode_t {
        var info = stat()
        guard lstat(file.path, &info) == 0 else { throw SystemError.last("lstat", file.path) }
        return info.st_mode
    }

    /// Makes an empty file when there is none. SQLite gives `-wal` and `-shm` the mode of the database.
    static func makeFile(_ file: URL) throws {
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError.last("open", file.path) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw SystemError.last("chmod", file.path) }
    }

    /// Makes what was done to a folder's entries survive a loss of power.
    static func synchronize(_ folder: URL) throws {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last("open", folder.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError.last("fsync", folder.path) }
    }
}

/// An error of the operating system.
struct SystemError: Error, CustomStringConvertible {
    let call: String
    let path: String
    let number: Int32

    static func last(_ call: String, _ path: String) -> SystemError {
        SystemError(call: call, path: path, number: errno)
    }

    var description: String { "\(call) '\(path)': \(String(cString: strerror(number)))" }
}

/// Keeps a second server off a storage directory. The system drops the lock when the process ends, however it ends.
final class DirectoryLock: Sendable {
    /// Of the open file; -1 once it is released.
    private let descriptor: Locked<Int32>

    init(directory: URL) throws {
        let path = directory.appendingPathComponent("lock").path
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemError.last("open", path) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError.last("flock", path)
            close(file)
            throw ZoneServerError(
                .storageUnavailable,
                "another server uses '\(directory.path)'; stop it or choose another directory", cause: error)
        }
        descriptor = Locked(file)
    }

    // A storage that could not be opened lets go of its directory as well.
    deinit { release() }

    /// Gives the directory free.
    func release() {
        descriptor.withLock { file in
            if file >= 0 { close(file) }
            file = -1
        }
    }
}
