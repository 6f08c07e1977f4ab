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

    /// Makes the file, empty and of mode 0600, whatever the umask, and the folders above it where they are missing.
    /// SQLite gives its log and shared memory the same mode.
    ///
    /// - Returns: Whether it was made; not if somebody else did in the meantime.
    func create() throws -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        return try BackstitchError.onFiles {
            try FileCalls.makeFolder(folder, withParents: true)
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
