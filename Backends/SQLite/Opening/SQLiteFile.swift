import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// The file of a store, and the files that SQLite keeps beside it.
struct SQLiteFile: Sendable {
    let path: String

    /// Creates it from a URL.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the URL is not that of a file.
    init(_ url: URL) throws {
        guard url.isFileURL, !url.path.isEmpty else {
            throw BackstitchError(
                .invalidRequest,
                "a SQLite store lives in a file, and \(url) is not a file URL; use URL(fileURLWithPath:)")
        }
        path = url.path
    }

    /// Creates it from the path of the file.
    init(path: String) { self.path = path }

    /// The folder with the store's assets.
    var assets: URL { URL(fileURLWithPath: path + "-assets", isDirectory: true) }

    /// SQLite's write-ahead log: saved data that is not yet in the file.
    var log: String { path + "-wal" }

    /// SQLite's rollback journal: the former content of pages that a transaction without a log has changed. The first
    /// transaction of a new store is such a one. If a journal is left over, the next connection with write access
    /// undoes these changes.
    var journal: String { path + "-journal" }

    /// SQLite's index of the log. It exists while a process has the file open, or after a process has crashed.
    var sharedMemory: String { path + "-shm" }

    /// The kinds of content that the path can have.
    enum Content {
        case nothing, empty, something
    }

    /// The kind of content at the path.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase`` when it is a folder or another special file.
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

    /// Whether the log contains data.
    var hasLog: Bool { (FileCalls.size(of: log) ?? 0) > 0 }

    /// The name of the log: its number and the two random numbers in its header
    /// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log). SQLite changes them with each log in the same
    /// file. Nil if there is no log, or if it is empty.
    var logName: String? {
        guard let log = FileCalls.open(log) else { return nil }
        defer { log.close() }
        var bytes: (UInt32, UInt32, UInt32) = (0, 0, 0)
        let count = withUnsafeMutableBytes(of: &bytes) { try? log.read(into: $0, at: 12) }
        guard count == 12 else { return nil }
        return [bytes.0, bytes.1, bytes.2].map { String(UInt32(bigEndian: $0), radix: 16) }.joined(separator: ".")
    }

    /// Whether SQLite can read the file while other processes write it. It then needs an index of the log, which must
    /// exist or be made.
    var isBesideLog: Bool {
        FileCalls.mayWrite(FileCalls.parent(of: path)) || FileState(of: sharedMemory) != nil
    }

    /// Requires that all data is in the file.
    ///
    /// - Throws: ``BackstitchError/Code/readOnly`` when the log has data that is not in the file.
    func requireNoLog() throws {
        guard hasLog else { return }
        throw BackstitchError(
            .readOnly,
            "the log \(log) has the last saves of \(path), and SQLite cannot read it without the right to write "
                + "in the folder; open and close the store once with that right, which moves the log into the file"
        )
    }

    /// The error for a log that belongs to another state of the file.
    var foreignLog: BackstitchError {
        BackstitchError(
            .storeMoved,
            "\(path) and its log \(log) do not belong together: the file was replaced, for example by a backup, and the "
                + "log has saves of the earlier file, which SQLite would write into this one. Nothing was changed. To "
                + "open the file as it is, move the log to another folder. To get the last saves, bring back the file "
                + "that the log was beside")
    }

    /// The name for opening the file as one that never changes. SQLite takes no locks then, and makes no files beside
    /// it.
    var immutableURI: String { uri("immutable=1") }

    /// The name of the file for SQLite, with a parameter.
    func uri(_ parameter: String) -> String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "?#%")
        let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        return "file://\(escaped)?\(parameter)"
    }

    /// Refuses to continue if there are signs of an earlier store. If the file is missing or empty, a new store is
    /// made, and SQLite removes the content of a log beside it.
    ///
    /// - Throws: ``BackstitchError/Code/storeMoved`` when there is such a sign.
    func refuseTracesOfStore() throws {
        // The order matters: another process may be about to make the store, and its log is written after its first
        // page.
        if hasLog, case let content = try content(), content != .something, hasLog {
            throw BackstitchError(
                .storeMoved,
                "\(path) is \(content == .empty ? "empty" : "not there"), and its log \(log) has the last saves "
                    + "of the earlier store. Bring the store's file back, or remove the log to begin anew")
        }
        guard try content() == .empty, try AssetDirectory.hasOwners(assets), try content() == .empty else { return }
        throw BackstitchError(
            .storeMoved,
            "\(path) is empty, and \(assets.path) has assets of an earlier store. Restore the file from a "
                + "backup, or remove it to begin anew, beside those assets")
    }

    /// Makes the file, empty and with mode 0600, independent of the umask. SQLite gives its log and shared memory the
    /// same mode.
    ///
    /// - Parameter makesFolders: Whether missing folders above it are made.
    /// - Returns: Whether it was made; false if another process has made it meanwhile.
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

    /// Removes the file of ``create(makesFolders:)`` with its log and index, unless it has content by now.
    func removeIfEmpty() {
        guard FileCalls.size(of: path) == 0 else { return }
        for name in [path, log, sharedMemory] { try? FileCalls.remove(name) }
    }
}

extension SQLiteStore: StoreInFile {
    package static var fileName: String { "store.sqlite" }
}
