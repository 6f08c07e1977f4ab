import Backstitch
import BackstitchSupport
import GRDB
import GRDBSQLite

/// The open files of a store. They are compared with those at its path, to notice a deletion, move or replacement.
///
/// SQLite continues to use a file that was deleted, moved or replaced, and later writes to it are lost. So a save
/// checks the files before its commit, with two `stat` calls. Each further connection checks them when it is opened,
/// because it would open the file now at the path. Open connections continue to read the file that they have.
struct StorePlace: Sendable {
    private let file: SQLiteFile
    private let database: FileState
    private let log: FileState?
    /// The state of a file that SQLite treats as immutable; nil for others.
    private let still: FileState?

    /// Notes the files that a connection has just opened.
    ///
    /// - Throws: ``BackstitchError/Code/storeMoved`` when they have moved since.
    init(_ file: SQLiteFile, openedBy connection: OpaquePointer?, still: FileState? = nil) throws {
        guard let database = FileState(of: file.path), !Self.hasMoved(connection) else { throw Self.gone(file) }
        self.file = file
        self.database = database
        log = FileState(of: file.log)
        self.still = still
    }

    /// Whether each request must check, after its reads, that the file has not changed.
    var isStill: Bool { still != nil }

    /// Checks that the opened files are still at their path.
    ///
    /// - Throws: ``BackstitchError/Code/storeMoved`` if not.
    func check() throws {
        if let fault { throw fault }
    }

    /// Checks that a further connection has the same file open.
    ///
    /// - Throws: ``BackstitchError/Code/storeMoved`` if not.
    func check(openedBy connection: OpaquePointer?) throws {
        guard let now = FileState(of: file.path) else { throw Self.gone(file) }
        if !now.isSameFile(as: database) || Self.hasMoved(connection) { throw replaced }
    }

    /// The error for files that were moved or replaced; nil if they are unchanged.
    var fault: BackstitchError? {
        guard let now = FileState(of: file.path) else { return Self.gone(file) }
        if !now.isSameFile(as: database) { return replaced }
        if now.size == 0 { return emptied }
        if let still { return now == still ? nil : changed }
        guard let log else { return nil }
        return FileState(of: file.log).map { $0.isSameFile(as: log) } ?? false ? nil : logGone
    }

    /// Whether a connection has another file open than the one at its path.
    private static func hasMoved(_ connection: OpaquePointer?) -> Bool {
        var hasMoved: Int32 = 0
        sqlite3_file_control(connection, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }
}

extension StorePlace {
    private static func gone(_ file: SQLiteFile) -> BackstitchError {
        let log = file.hasLog ? " with its log \(file.log), which has the last saves," : ""
        return BackstitchError(
            .storeMoved,
            "\(file.path) is gone: it was deleted or moved, or a folder above it was, while the store was open. "
                + "\(Self.nothingStored) Bring the file\(log) back to its place, or close the store and open it where "
                + "the file is now")
    }

    private var replaced: BackstitchError {
        let isOld = log.flatMap { log in FileState(of: file.log).map { $0.isSameFile(as: log) } } ?? false
        let advice =
            isOld
            ? "; before that remove \(file.log) and \(file.sharedMemory), which belong to the earlier file; SQLite "
                + "would use them for the new one"
            : ""
        return BackstitchError(
            .storeMoved,
            "\(file.path) was replaced by another file, for example a backup, after the store was opened. "
                + "\(Self.nothingStored) Close the store, and open it anew\(advice)")
    }

    private var emptied: BackstitchError {
        BackstitchError(
            .storeMoved,
            "\(file.path) was emptied while the store was open. \(Self.nothingStored) Close the store, and restore the "
                + "file from a backup")
    }

    private var changed: BackstitchError {
        BackstitchError(
            .storeMoved,
            "\(file.path) was changed while the store was open read-only. SQLite cannot follow changes in a "
                + "folder where this program may make no files. Close the store, and open it anew")
    }

    private var logGone: BackstitchError {
        BackstitchError(
            .storeMoved,
            "the log \(file.log) was deleted or replaced while the store was open. \(Self.nothingStored) Close the "
                + "store, which moves what was saved before into the file, and open it anew")
    }

    private static let nothingStored = "Nothing of the request was stored."
}
