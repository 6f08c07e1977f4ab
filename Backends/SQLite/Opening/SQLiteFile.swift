import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// The file of a store, and those that SQLite keeps beside it.
struct SQLiteFile: Sendable {
    let path: String

    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the URL is none of a file.
    init(_ url: URL) throws {
        guard url.isFileURL, !url.path.isEmpty else {
            throw BackstitchError(
                .invalidRequest, "a SQLite store lives in a file, and \(url) is no file URL; use URL(fileURLWithPath:)")
        }
        path = url.path
    }

    /// The file at a path.
    init(path: String) { self.path = path }

    /// Where the store's assets lie.
    var assets: URL { URL(fileURLWithPath: path + "-assets", isDirectory: true) }

    /// SQLite's write-ahead log: what was saved and is not in the file yet.
    var log: String { path + "-wal" }

    /// SQLite's rollback journal: what a transaction without a log, such as the first of a new store, has changed in
    /// the file. Where it is left over, the next connection that may write takes that back.
    var journal: String { path + "-journal" }

    /// SQLite's index of the log. It is there while some process has the file open, or after one crashed.
    var sharedMemory: String { path + "-shm" }

    /// The kinds of content that the path can have.
    enum Content {
        case nothing, empty, something
    }

    /// - Throws: ``BackstitchError/Code/notADatabase`` when it is a folder or the like.
    func content() throws -> Content {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return .nothing }
        guard !isFolder.boolValue, let size = FileCalls.size(of: path) else {
            throw BackstitchError(
                .notADatabase,
                "\(path) is \(isFolder.boolValue ? "a folder" : "no plain file"); name a file for the store")
        }
        return size == 0 ? .empty : .something
    }

    /// Whether something is in the log.
    var hasLog: Bool { (FileCalls.size(of: log) ?? 0) > 0 }

    /// Whether SQLite can read the file beside others that write it: it needs an index of the log then, which is there
    /// or which it makes.
    var isBesideLog: Bool {
        FileCalls.mayWrite(FileCalls.parent(of: path)) || FileState(of: sharedMemory) != nil
    }

    /// - Throws: ``BackstitchError/Code/readOnly`` when the log has something that is not in the file.
    func requireNoLog() throws {
        guard hasLog else { return }
        throw BackstitchError(
            .readOnly,
            "the log \(log) has what was saved last in \(path), and SQLite cannot read it without the right to write in "
                + "the folder; open and close the store once where it may be written, which moves the log into the file"
        )
    }

    /// The name by which SQLite opens the file as one that nobody changes: it takes no locks, and makes nothing beside
    /// it.
    var immutableURI: String { uri("immutable=1") }

    /// The name of the file for SQLite with a parameter.
    func uri(_ parameter: String) -> String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "?#%")
        let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        return "file://\(escaped)?\(parameter)"
    }

    /// Has there be no sign of a store that was here before: of a file that is not there, or in which nothing is, a new
    /// store is made, and SQLite removes what is in a log beside it.
    ///
    /// - Throws: ``BackstitchError/Code/storeMoved`` when there is one.
    func refuseTracesOfStore() throws {
        // In this order: another process may be about to make the store, and its log comes after its first page.
        if hasLog, case let content = try content(), content != .something, hasLog {
            throw BackstitchError(
                .storeMoved,
                "\(path) is \(content == .empty ? "empty" : "not there"), and the log \(log) beside it has what was saved "
                    + "last in the store that was there. Bring the store's file back, or remove the log to begin anew")
        }
        guard try content() == .empty, try AssetDirectory.hasOwners(assets), try content() == .empty else { return }
        throw BackstitchError(
            .storeMoved,
            "\(path) is empty, and \(assets.path) has assets of a store that was there. Restore the file from a backup, "
                + "or remove it to begin anew, beside those assets")
    }

    /// Makes the file, empty and of mode 0600, whatever the umask. SQLite gives its log and shared memory the same
    /// mode.
    ///
    /// - Parameter makesFolders: Whether the folders above it are made where they are missing.
    /// - Returns: Whether it was made; not if somebody else did in the meantime.
    /// - Throws: ``BackstitchError/Code/storeNotFound`` when a folder above it is missing.
    func create(makesFolders: Bool) throws -> Bool {
        let folder = FileCalls.parent(of: path)
        return try BackstitchError.onFiles {
            if makesFolders {
                try FileCalls.makeFolder(folder, withParents: true)
            } else {
                try StoreConfiguration.requireFolder(above: path)
            }
            guard let file = try FileCalls.create(path) else { return false }
            file.close()
            try FileCalls.syncFolder(folder)
            return true
        }
    }

    /// Removes what ``create()`` made, unless somebody has put something in.
    func removeIfEmpty() {
        guard FileCalls.size(of: path) == 0 else { return }
        for name in [path, log, sharedMemory] { try? FileCalls.remove(name) }
    }
}

extension SQLiteStore: StoreInFile {
    package static var fileName: String { "store.sqlite" }
}
