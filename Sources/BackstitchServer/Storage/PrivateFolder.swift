import BackstitchSupport
import Foundation

/// Folders and files that only the server's user can read.
///
/// Links are refused, because the target of a link can change between two calls.
enum PrivateFolder {
    /// Makes a new folder with a random name. It is new even if the server's source of randomness repeats itself.
    static func temporary(_ name: String) throws -> URL {
        URL(fileURLWithPath: try FileCalls.makeTemporaryFolder(name))
    }

    /// Makes a folder and its parents, so that they survive a loss of power.
    ///
    /// An existing folder keeps its mode, because the administrator chose it.
    ///
    /// - Throws: ``ZoneServerError`` if a link or a file has the folder's name.
    static func make(_ folder: URL) throws {
        try refusingLinks { try FileCalls.makeRealFolder(folder.path) }
    }

    /// Runs `body`, and names the link or file that has a folder's place in the error for the administrator.
    static func refusingLinks(_ body: () throws -> Void) throws {
        do { try body() } catch let error as NotAFolder {
            throw ZoneServerError(
                .storageUnavailable, "'\(error.path)' is a link or a file, and not a folder; give the folder's own path"
            )
        }
    }

    /// Whether other users of the machine can create files in a folder.
    static func isWritableByOthers(_ folder: URL) throws -> Bool {
        (try FileCalls.mode(of: folder.path) ?? 0) & 0o022 != 0
    }

    /// Makes sure that a path is a regular file, or free.
    ///
    /// - Throws: ``ZoneServerError`` if the path is a link or another kind of file.
    static func refuseLink(_ file: URL) throws {
        guard let mode = try FileCalls.mode(of: file.path), mode & S_IFMT != S_IFREG else { return }
        throw ZoneServerError(.storageUnavailable, "'\(file.path)' is a link; remove it")
    }

    /// Opens a file, and creates it empty if it is missing.
    static func open(_ file: URL) throws -> OpenFile {
        try FileCalls.restrict(FileCalls.openOrMake(file.path, followsLinks: false))
    }

    /// Creates an empty file if it is missing. SQLite gives `-wal` and `-shm` the mode of the database.
    static func makeFile(_ file: URL) throws { try open(file).close() }

    /// Waits until the folder's entries are safe on the disk.
    static func synchronize(_ folder: URL) throws { try FileCalls.syncFolder(folder.path, isRequired: true) }
}
