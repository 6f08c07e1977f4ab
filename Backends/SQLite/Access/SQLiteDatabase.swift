package import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import GRDB
import GRDBSQLite

/// The connections of a store: one that writes and a pool of those that read, or a single one for a store in memory.
package final class SQLiteDatabase: SQLDatabase {
    package let name: String

    let connections: any DatabaseWriter
    /// Nil for a store in memory.
    let lookUps: LookUpConnection?
    private let isReadOnly: Bool
    /// Nil for a database that is no store's.
    private let foreignMigration: ForeignMigration?
    /// Nil for a store in memory.
    private let place: StorePlace?
    /// Whether the file is read as one that nobody changes, without locks.
    let isStill: Bool
    /// Whether a single connection writes and reads: then nothing is written while it reads.
    private let isAlone: Bool
    let admission: StatementCachePolicy
    private let gate = RequestGate()
    let counter = StatementCounter()

    init(
        _ connections: any DatabaseWriter, lookUps: LookUpConnection?, name: String, isReadOnly: Bool,
        foreignMigration: ForeignMigration?, place: StorePlace? = nil,
        admission: StatementCachePolicy = StatementCachePolicy()
    ) {
        self.foreignMigration = foreignMigration
        self.place = place
        isStill = place?.isStill ?? false
        self.connections = connections
        isAlone = connections is DatabaseQueue
        self.lookUps = lookUps
        self.admission = admission
        self.isReadOnly = isReadOnly
        self.name = name
    }

    /// Runs `body` with a connection for reading.
    ///
    /// - Parameter isSnapshot: Whether several statements shall see one state. A single one sees one anyway.
    package func read<Result>(isSnapshot: Bool, _ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try request {
            try connections.unsafeReentrantRead { database in
                let connection = connection(database)
                if !isSnapshot || isAlone || database.isInsideTransaction { return try body(connection) }
                return try Self.transaction(.deferred, on: database) { try body(connection) }
            }
        }
    }

    /// Runs `body` with a connection for reading, as the library has it.
    func readDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try request { try connections.unsafeReentrantRead(body) }
    }

    /// Runs `body` on one state of the database.
    package func readOnce<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try read(isSnapshot: true, body)
    }

    /// Runs `body` in a transaction that writes, once: nobody gets into its way, and a commit that returns is one.
    package func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (SQLiteConnection) throws -> Result, number: (Result) -> Int64?
    ) throws -> Result {
        if isReadOnly { throw StoreConfiguration.isReadOnly(name) }
        try JournalNesting.check(self, name: name, "be written to")
        return try request {
            try connections.writeWithoutTransaction { database in
                try Self.transaction(.immediate, on: database) {
                    let result = try body(connection(database))
                    try place?.check()
                    return result
                }
            }
        }
    }

    /// Runs `body` in a transaction that is on the disk when it ends, with all that was committed before it.
    package func readDurably<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try JournalNesting.check(self, name: name, "wait for the disk")
        return try request {
            try connections.writeWithoutTransaction { database in
                let usual = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? 2
                try database.execute(sql: "PRAGMA synchronous = FULL")
                defer { try? database.execute(sql: "PRAGMA synchronous = \(usual)") }
                return try Self.transaction(.immediate, on: database) {
                    let connection = connection(database)
                    // A transaction that writes nothing is not synced.
                    try connection.run(SQLStatement(.sqlite, SystemTables.touch))
                    let result = try body(connection)
                    try place?.check()
                    return result
                }
            }
        }
    }

    package func isFull(_ error: any Error) -> Bool { SQLiteFailure.isFull(error) }

    /// Waits for requests to end, then closes all connections. The one that writes is the last, and so moves the log
    /// into the file.
    package func close() throws {
        try JournalNesting.check(self, name: name, "be closed")
        guard gate.close() else { return }
        lookUps?.close()
        do {
            (connections as? DatabasePool)?.releaseMemory()
            try connections.close()
        } catch {
            throw SQLiteFailure.explain(error, store: name)
        }
    }

    /// Ends all requests here; the connections go on in another, with all that they have prepared.
    func successor(of model: ForeignMigration) -> SQLiteDatabase {
        gate.close()
        return SQLiteDatabase(
            connections, lookUps: lookUps, name: name, isReadOnly: isReadOnly, foreignMigration: model, place: place,
            admission: admission)
    }

    func connection(_ source: any StatementSource) -> SQLiteConnection {
        SQLiteConnection(source, admission: admission, counter: counter)
    }

    var isInJournal: Bool { JournalNesting.contains(self) }

    func request<Result>(_ body: () throws -> Result) throws -> Result {
        try gate.pass(orThrow: BackstitchError(.storeClosed, "\(name) was closed; open it again before using it")) {
            do {
                let result = try body()
                // Nothing keeps others from changing a file that SQLite reads without locks.
                if isStill { try place?.check() }
                return result
            } catch {
                throw try afterMove(error) ?? afterMigration(error) ?? SQLiteFailure.explain(error, store: name)
            }
        }
    }

    /// The error of a request that SQLite failed since the files are no longer where they were.
    private func afterMove(_ error: any Error) -> BackstitchError? {
        error is SQLiteFailure || error is DatabaseError ? place?.fault : nil
    }

    /// The error of a request that failed since the tables are others than when the store was opened.
    private func afterMigration(_ error: any Error) throws -> BackstitchError? {
        guard let foreignMigration, SQLiteFailure.mayTellOfOtherTables(error) else { return nil }
        return try connections.unsafeReentrantRead { database in
            try foreignMigration.error(
                on: SQLiteConnection(database, admission: admission), store: name, cause: error)
        }
    }

    private static func transaction<Result>(
        _ kind: Database.TransactionKind, on database: Database, _ body: () throws -> Result
    ) throws -> Result {
        var result: Result?
        try database.inTransaction(kind) {
            result = try body()
            return .commit
        }
        guard let result else { throw BackstitchError(.internalInconsistency, "a transaction ended without a result") }
        return result
    }
}
