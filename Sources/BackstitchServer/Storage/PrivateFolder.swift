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

    static func make(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // The folder may have been there before, with another mode.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
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
    private let descriptor: Int32

    init(directory: URL) throws {
        let path = directory.appendingPathComponent("lock").path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError.last("open", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError.last("flock", path)
            close(descriptor)
            throw ZoneServerError(
                .storageUnavailable,
                "another server uses '\(directory.path)'; stop it or choose another directory", cause: error)
        }
    }

    /// Gives the directory free. Call once.
    func release() {
        close(descriptor)
    }
}
