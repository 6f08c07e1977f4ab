package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's calls on files, with modes and syncs that Foundation does not offer. They throw ``SystemError``.
package enum FileCalls {
    /// A new file of mode 0600, whatever the umask; nil when there is one of that name, be it a link.
    package static func create(_ path: String) throws -> OpenFile? {
        let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return nil }
            throw SystemError.last("open", path, to: "make")
        }
        return try restrict(OpenFile(descriptor: descriptor, path: path))
    }

    /// Gives a file mode 0600; one that does not take it is closed.
    package static func restrict(_ file: OpenFile) throws -> OpenFile {
        guard fchmod(file.descriptor, 0o600) == 0 else {
            defer { file.close() }
            throw SystemError.last("chmod", file.path, to: "set the mode of")
        }
        return file
    }

    /// A file for reading and writing, made with mode 0600 if it is missing.
    ///
    /// - Parameter followsLinks: Whether a link may stand in its place.
    package static func openOrMake(_ path: String, followsLinks: Bool) throws(SystemError) -> OpenFile {
        let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW), 0o600)
        guard descriptor >= 0 else { throw SystemError.last("open", path) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    /// A file to lock, made if it is missing and that is allowed; nil when there is none, as where its folder is not
    /// there.
    package static func openLock(_ path: String) -> OpenFile? {
        (try? openOrMake(path, followsLinks: true)) ?? open(path)
    }

    /// An existing file for reading; nil when it cannot be opened.
    ///
    /// - Parameter followsLinks: Whether a link may stand in its place.
    package static func open(_ path: String, followsLinks: Bool = true) -> OpenFile? {
        let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW), 0)
        return descriptor < 0 ? nil : OpenFile(descriptor: descriptor, path: path)
    }

    /// The bytes of a file; nil when there is none.
    ///
    /// - Parameter followsLinks: Whether a link may stand in its place.
    package static func contents(of path: String, followsLinks: Bool = true) throws -> Data? {
        guard let file = open(path, followsLinks: followsLinks) else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError.last("open", path, to: "read")
        }
        defer { file.close() }
        return try file.readToEnd()
    }

    /// Renames a file over whatever has the new name; false when it is not there any more.
    package static func rename(_ path: String, to other: String) throws -> Bool {
        if systemRename(path, other) == 0 { return true }
        if errno == ENOENT { return false }
        throw SystemError.last("rename", other, to: "rename to its name")
    }

    /// Removes a file if it is there.
    package static func remove(_ path: String) throws {
        if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR { throw SystemError.last("unlink", path, to: "remove") }
    }

    /// Length of a regular file; nil when there is none.
    package static func size(of path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Whether this process may write to a file, or make files in a folder.
    package static func mayWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// Kind and rights of a file, or of the link that stands in its place; nil when there is none.
    package static func mode(of path: String) throws -> mode_t? {
        var status = stat()
        if lstat(path, &status) == 0 { return status.st_mode }
        if errno == ENOENT { return nil }
        throw SystemError.last("lstat", path, to: "look at")
    }

    /// Tells one state of a file from another: its number, its length and the time of its last change. Nil when there
    /// is none.
    package static func stamp(of path: String) -> [Int64]? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let changed = status.st_mtimespec
        #else
        let changed = status.st_mtim
        #endif
        return [Int64(status.st_ino), Int64(status.st_size), Int64(changed.tv_sec), Int64(changed.tv_nsec)]
    }

    static func systemRename(_ path: String, _ other: String) -> Int32 {
        #if canImport(Darwin)
        Darwin.rename(path, other)
        #elseif canImport(Musl)
        Musl.rename(path, other)
        #else
        Glibc.rename(path, other)
        #endif
    }

    static func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        #if canImport(Darwin)
        Darwin.open(path, flags, mode)
        #elseif canImport(Musl)
        Musl.open(path, flags, mode)
        #else
        Glibc.open(path, flags, mode)
        #endif
    }
}
