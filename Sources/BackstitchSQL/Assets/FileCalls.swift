import Backstitch
import BackstitchSupport
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's calls on files, with modes and syncs that Foundation does not offer, and errors that name the file.
package enum FileCalls {
    /// Makes a folder of mode 0700, whatever the umask, durably; one that is there stays as it is.
    package static func makeFolder(_ path: String, withParents: Bool = false) throws {
        do {
            if try makeUnsyncedFolder(path) { try syncFolder(parent(of: path)) }
        } catch let error as BackstitchError {
            guard withParents, parent(of: path) != path, (error.cause as? NSError)?.code == Int(ENOENT) else {
                throw error
            }
            try makeFolder(parent(of: path), withParents: true)
            try makeFolder(path)
        }
    }

    /// The same for whoever syncs the folder above it later. False when there is one.
    static func makeUnsyncedFolder(_ path: String) throws -> Bool {
        guard mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return false }
            throw failure("make the folder", path)
        }
        guard chmod(path, 0o700) == 0 else { throw failure("set the mode of", path) }
        return true
    }

    /// Runs `body` for each item, on several threads, and waits for all: for work that mostly waits for the disk.
    ///
    /// - Throws: The error of the first item, in their order, for which `body` throws; `body` runs for the others too.
    static func atOnce<Item: Sendable>(_ items: [Item], _ body: @escaping @Sendable (Item) throws -> Void) throws {
        try threads.together(items, atOnce: threadCount, body)
    }

    private static let threadCount = 16
    private static let threads = WorkerPool(name: "Backstitch.files", limit: 2 * threadCount)

    /// Makes the entries of a folder durable.
    package static func syncFolder(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw failure("open the folder", path) }
        let folder = OpenFile(descriptor: descriptor, path: path)
        defer { folder.close() }
        // Some file systems cannot sync a folder, and say so; there it is as durable as it gets.
        if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP { throw failure("sync the folder", path) }
    }

    /// A new file of mode 0600, whatever the umask; nil when there is one of that name.
    package static func create(_ path: String) throws -> OpenFile? {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return nil }
            throw failure("make", path)
        }
        let file = OpenFile(descriptor: descriptor, path: path)
        guard fchmod(descriptor, 0o600) == 0 else {
            file.close()
            throw failure("set the mode of", path)
        }
        return file
    }

    /// A file to lock, made if it is missing and that is allowed; nil when there is none, as where its folder is not
    /// there.
    static func openLock(_ path: String) -> OpenFile? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        return descriptor < 0 ? open(path) : OpenFile(descriptor: descriptor, path: path)
    }

    /// An existing file for reading; nil when it cannot be opened.
    static func open(_ path: String) -> OpenFile? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC, 0)
        return descriptor < 0 ? nil : OpenFile(descriptor: descriptor, path: path)
    }

    /// Renames a file over whatever has the new name; false when it is not there any more.
    static func rename(_ path: String, to other: String) throws -> Bool {
        if systemRename(path, other) == 0 { return true }
        if errno == ENOENT { return false }
        throw failure("rename to its name", other)
    }

    /// Removes a file if it is there.
    package static func remove(_ path: String) throws {
        if unlink(path) != 0, errno != ENOENT, errno != ENOTDIR { throw failure("remove", path) }
    }

    /// Length of a regular file; nil when there is none.
    package static func size(of path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
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

    /// The bytes of a file; nil when there is none.
    static func contents(of path: String) throws -> Data? {
        guard let file = open(path) else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("read", path)
        }
        defer { file.close() }
        return try file.readToEnd()
    }

    /// The names in a folder; none when there is no such folder.
    static func names(in path: String) throws -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw BackstitchError(.storeFailure, "could not list the folder \(path)", cause: error)
        }
    }

    static func parent(of path: String) -> String { (path as NSString).deletingLastPathComponent }

    /// The error of the call that just failed.
    static func failure(_ action: String, _ path: String) -> BackstitchError {
        let number = errno
        let reason = String(cString: strerror(number))
        let advice =
            switch number {
            case ENOSPC, EDQUOT: "; free some space and try again"
            case EACCES, EPERM, EROFS: "; give the program the right to write there"
            case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP: "; check that its folder is there and is one"
            default: ""
            }
        return BackstitchError(
            .storeFailure, "could not \(action) \(path): \(reason)\(advice)",
            cause: NSError(domain: NSPOSIXErrorDomain, code: Int(number)))
    }

    private static func systemRename(_ path: String, _ other: String) -> Int32 {
        #if canImport(Darwin)
        Darwin.rename(path, other)
        #elseif canImport(Musl)
        Musl.rename(path, other)
        #else
        Glibc.rename(path, other)
        #endif
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        #if canImport(Darwin)
        Darwin.open(path, flags, mode)
        #elseif canImport(Musl)
        Musl.open(path, flags, mode)
        #else
        Glibc.open(path, flags, mode)
        #endif
    }
}
