import BackstitchSQL
import BackstitchSupport
import GRDB
import GRDBSQLite

/// Marks each log of an open store in the log's first transaction, see ``LogLink``.
///
/// SQLite begins a log with the first write of a transaction, in these cases only:
///
/// | the log before | after |
/// |---|---|
/// | is missing or empty | the last process has closed the file, or a checkpoint has truncated the log |
/// | has pages, and all are in the file | a checkpoint, if no other connection reads the log |
/// | has no valid transaction | a crash in its first one |
///
/// After any other crash SQLite continues the log that it finds. In each case the index has no page that is not in the
/// file, so ``LogIndex/isMoved`` tells it before the write. The transaction keeps other writers out, so the marks of
/// the file and its last transaction are exactly those that the log begins with. A log that another program has begun
/// gets no mark later: its beginning is not known.
struct LogMarker: Sendable {
    private let file: SQLiteFile

    init(_ file: SQLiteFile) { self.file = file }

    /// Runs `body` in a writing transaction, and marks the log if the transaction begins it.
    func marking<Result>(on database: Database, _ body: () throws -> Result) throws -> Result {
        guard let index = LogIndex(of: database.sqliteConnection), index.isMoved else { return try body() }
        let name = file.logName
        let transaction = try Int64.fetchOne(database, sql: SystemTables.lastTransaction) ?? 0
        let changes = database.totalChangesCount
        let result = try body()
        if database.totalChangesCount != changes {
            try writePages(on: database)
            if let log = file.logName, log != name || index.isEmpty {
                let former = LogLink(try String.fetchOne(database, sql: StoreTable.query(for: .log)))
                try write(LogLink(log: log, after: former, transaction: transaction), on: database)
            }
        }
        return result
    }

    /// Begins the log of a store that has none. Call this when the first connection is opened. The database library
    /// would begin the log by a transaction of its own.
    func begin(on database: Database) throws {
        guard !file.hasLog, FileCalls.size(of: file.path) ?? 0 > 0 else { return }
        // Other files are left to the checks of the opening.
        guard try Int32.fetchOne(database, sql: "PRAGMA application_id") == SQLiteIdentity.applicationID,
            try Int32.fetchOne(database, sql: "PRAGMA user_version") == SystemTables.format,
            try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") == "wal"
        else { return }
        // Nothing is lost with this transaction.
        try database.execute(sql: "PRAGMA synchronous = NORMAL")
        try database.inTransaction(.immediate) {
            // Another process may have begun it meanwhile.
            if LogIndex(of: database.sqliteConnection)?.isEmpty ?? false {
                try marking(on: database) { try database.execute(sql: StoreTable.insertPlaceholder) }
                try database.execute(sql: StoreTable.deletePlaceholder)
            }
            return .commit
        }
    }

    /// Writes the changed pages into the log, as the commit would. Then the log has begun, and has its name.
    private func writePages(on database: Database) throws {
        let code = sqlite3_db_cacheflush(database.sqliteConnection)
        // A page in use is written by the commit.
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
            throw SQLiteFailure(code, on: database.sqliteConnection)
        }
    }

    private func write(_ link: LogLink, on database: Database) throws {
        let connection = SQLiteConnection(database, admission: StatementCachePolicy())
        try connection.run(StoreTable.replace(link.text, for: .log, dialect: .sqlite))
    }
}
