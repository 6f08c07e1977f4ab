package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's calls on files, with modes and syncs that Foundation lacks. They throw ``SystemError``.
package enum FileCalls {
    /// Makes a new file of mode 0600, regardless of the umask; nil if the name is taken, even by a link.
    package static func create(_ path: String) throws -> OpenFile? {
        let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return nil }
            throw SystemError.last("open", path, to: "make")
        }
        return try restrict(OpenFile(descriptor: descriptor, path: path))
    }

    /// Gives a file mode 0600. If that fails, the file is closed.
    package static func restrict(_ file: OpenFile) throws -> OpenFile {
        guard fchmod(file.descriptor, 0o600) == 0 else {
            defer { file.close() }
            throw SystemError.last("chmod", file.path, to: "set the mode of")
        }
        return file
    }

    /// Opens a file for reading and writing, and makes it with mode 0600 if it is missing.
    ///
    /// - Parameter followsLinks: Whether the path may name a link.
    package static func openOrMake(_ path: String, followsLinks: Bool) throws(SystemError) -> OpenFile {
        let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW), 0o600)
        guard descriptor >= 0 else { throw SystemError.last("open", path) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    /// Opens a file to lock it, and makes it if it is missing and this process may make it. Nil if there is no file,
    /// for example because its folder is missing.
    package static func openLock(_ path: String) -> OpenFile? {
        (try? openOrMake(path, followsLinks: true)) ?? open(path)
    }

    /// Opens an existing file for reading; nil if it cannot be opened.
    ///
    /// - Parameter followsLinks: Whether the path may name a link.
    package static func open(_ path: String, followsLinks: Bool = true) -> OpenFile? {
        let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW), 0)
        return descriptor < 0 ? nil : OpenFile(descriptor: descriptor, path: path)
    }

    /// Reads the bytes of a file; nil if there is none.
    ///
    /// - Parameter followsLinks: Whether the path may name a link.
    package static func contents(of path: String, followsLinks: Bool = true) throws -> Data? {
        guard let file = open(path, followsLinks: followsLinks) else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError.last("open", path, to: "read")
        }
        defer { file.close() }
        return try file.readToEnd()
    }

    /// Renames a file, and replaces any file of the new name; false if the file no longer exists.
    package static func rename(_ path: String, to other: String) throws -> Bool {
        if systemRename(path, other) == 0 { return true }
        if errno == ENOENT { return false }
        throw SystemError.last("rename", other, to: "rename to its name")
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) throws {
        if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR { throw SystemError.last("unlink", path, to: "remove") }
    }

    /// Returns the length of a regular file; nil if there is none.
    package static func size(of path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Returns the free bytes of the file system with a path. If it does not tell, as some network file systems do, the
    /// largest integer.
    package static func freeSpace(at path: String) throws -> Int64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
            throw SystemError.last("statvfs", path, to: "measure the free space at")
        }
        guard status.f_blocks > 0 else { return .max }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    /// Whether this process may write to a file, or make files in a folder.
    package static func mayWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// Returns the kind and rights of a file, or of the link at its place; nil if there is none.
    package static func mode(of path: String) throws -> mode_t? {
        var status = stat()
        if lstat(path, &status) == 0 { return status.st_mode }
        if errno == ENOENT { return nil }
        throw SystemError.last("lstat", path, to: "look at")
    }

    /// Identifies the current state of a file by its inode number, its length and the time of its last change. Nil if
    /// there is none.
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
