import Backstitch
import BackstitchSQL
import BackstitchSupport
import GRDB
import GRDBSQLite

/// Opens databases with a program's own tables, outside any store.
package enum SQLiteTables {
    /// The number of connections that read at the same time.
    static let readers = 8

    /// SQLite's version, for instance 3.51.3.
    package static var version: String { String(cString: sqlite3_libversion()) }

    /// Opens the database in an existing file, which may be empty. A commit is on the disk when it returns.
    ///
    /// - Parameter applicationID: The mark for a file that has none yet.
    /// - Throws: ``BackstitchError`` when the file cannot be opened, or SQLite does not wait for the disk.
    package static func open(_ path: String, applicationID: Int32) throws -> SQLiteDatabase {
        do {
            let place = Locked<StorePlace?>(nil)
            let pool = try DatabasePool(path: path, configuration: configuration(place))
            try makeDurable(pool)
            try pool.writeWithoutTransaction { database in
                if try Int32.fetchOne(database, sql: "PRAGMA application_id") == 0 {
                    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
                }
                let opened = try StorePlace(SQLiteFile(path: path), openedBy: database.sqliteConnection)
                place.withLock { $0 = opened }
            }
            return SQLiteDatabase(
                pool, lookUps: nil, name: path, isReadOnly: false, foreignMigration: nil, place: place.withLock { $0 })
        } catch {
            throw SQLiteFailure.explain(error, store: path)
        }
    }

    /// Opens the database in a file only for reading, beside the program that keeps it. It never moves the log into the
    /// file, so it cannot meet SQLite's WAL-reset bug.
    ///
    /// - Throws: ``BackstitchError`` when the file cannot be opened.
    package static func openForReading(_ path: String) throws -> SQLiteDatabase {
        do {
            var settings = configuration()
            settings.readonly = true
            let pool = try DatabasePool(path: path, configuration: settings)
            return SQLiteDatabase(pool, lookUps: nil, name: path, isReadOnly: true, foreignMigration: nil)
        } catch {
            throw SQLiteFailure.explain(error, store: path)
        }
    }

    /// A database in memory with one connection. Its content is lost when it is closed.
    package static func inMemory() throws -> SQLiteDatabase {
        SQLiteDatabase(
            try DatabaseQueue(configuration: configuration()), lookUps: nil, name: "the database in memory",
            isReadOnly: false, foreignMigration: nil)
    }

    /// Looks into a file before the first write to it.
    ///
    /// - Parameter body: Called with the file's mark and its tables' names.
    /// - Throws: ``BackstitchError/Code/notADatabase`` for a file of another kind; the error of `body`.
    package static func inspect<Result>(
        _ path: String, _ body: (_ applicationID: Int32, _ tables: [String], SQLiteConnection) throws -> Result
    ) throws -> Result {
        do {
            do { return try inspect(path, readonly: true, body) } catch let error as DatabaseError
                where error.resultCode == .SQLITE_READONLY
            {
                // A power cut has left a transaction. The next connection with write access undoes it.
                return try inspect(path, readonly: false, body)
            }
        } catch {
            throw SQLiteFailure.explain(error, store: path)
        }
    }

    private static func inspect<Result>(
        _ path: String, readonly: Bool, _ body: (Int32, [String], SQLiteConnection) throws -> Result
    ) throws -> Result {
        var configuration = Configuration()
        configuration.readonly = readonly
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let result = try queue.read { database in
            try body(
                Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
                String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"),
                SQLiteConnection(database, admission: StatementCachePolicy()))
        }
        try queue.close()
        return result
    }

    /// The settings of the connections.
    ///
    /// - Parameter place: The files that each connection must open, as soon as they are known.
    private static func configuration(_ place: Locked<StorePlace?> = Locked(nil)) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = readers
        configuration.prepareDatabase { database in
            try place.withLock { $0 }?.check(openedBy: database.sqliteConnection)
            // A large transaction is a few megabytes. To copy it into the database after each one would cost the same
            // again.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 8000")
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
            // The cache of each connection. The system also keeps the file's pages in memory.
            try database.execute(sql: "PRAGMA cache_size = -8192")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    /// Makes an acknowledged commit survive a power cut, which WAL alone does not promise. The opening of a pool sets
    /// its writer to NORMAL, so this is called afterwards.
    private static func makeDurable(_ pool: DatabasePool) throws {
        let level = try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: SQLiteOptions.reachesPlatters)
            // The writing connection needs the pages between root and leaf again and again.
            try database.execute(sql: "PRAGMA cache_size = -32768")
            return try Int.fetchOne(database, sql: "PRAGMA synchronous")
        }
        guard level == 2 else {
            throw BackstitchError(
                .storeFailure,
                "SQLite does not wait for the disk (synchronous is \(level.map(String.init) ?? "unknown"), not 2); use another build of it"
            )
        }
    }
}
