import BackstitchSupport
import Foundation

/// Folders and files that only the server's user can read, and that are no links: what is behind a link can be another
/// thing each time.
enum PrivateFolder {
    /// Makes a folder that nobody else has, whatever the server's randomness gives.
    static func temporary(_ name: String) throws -> URL {
        URL(fileURLWithPath: try FileCalls.makeTemporaryFolder(name))
    }

    /// Makes a folder, with those around it, so that it survives a loss of power. One that is there stays as it is,
    /// with its mode: the administrator who made it knows what for.
    ///
    /// - Throws: ``ZoneServerError`` where a link or a file stands in its place.
    static func make(_ folder: URL) throws {
        try refusingLinks { try FileCalls.makeRealFolder(folder.path) }
    }

    /// Runs `body`, and tells the administrator of a link or a file that stands in a folder's place.
    static func refusingLinks(_ body: () throws -> Void) throws {
        do { try body() } catch let error as NotAFolder {
            throw ZoneServerError(
                .storageUnavailable, "'\(error.path)' is a link or a file, and not a folder; give the folder's own path"
            )
        }
    }

    /// Whether other users of the machine can put files into a folder.
    static func isWritableByOthers(_ folder: URL) throws -> Bool {
        (try FileCalls.mode(of: folder.path) ?? 0) & 0o022 != 0
    }

    /// - Throws: ``ZoneServerError`` where a link stands in the place of a file.
    static func refuseLink(_ file: URL) throws {
        guard let mode = try FileCalls.mode(of: file.path), mode & S_IFMT != S_IFREG else { return }
        throw ZoneServerError(.storageUnavailable, "'\(file.path)' is a link; remove it")
    }

    /// Opens a file, which is made empty when there is none.
    static func open(_ file: URL) throws -> OpenFile {
        try FileCalls.restrict(FileCalls.openOrMake(file.path, followsLinks: false))
    }

    /// Makes an empty file when there is none. SQLite gives `-wal` and `-shm` the mode of the database.
    static func makeFile(_ file: URL) throws { try open(file).close() }

    /// Makes what was done to a folder's entries survive a loss of power.
    static func synchronize(_ folder: URL) throws { try FileCalls.syncFolder(folder.path, isRequired: true) }
}
