package import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import GRDB
import GRDBSQLite

/// The connections of a store: one for writing and a pool for reading, or a single one for a store in memory.
package final class SQLiteDatabase: SQLDatabase {
    package let name: String

    let connections: any DatabaseWriter
    /// The connection for look-ups; nil for a store in memory.
    let lookUps: LookUpConnection?
    private let isReadOnly: Bool
    /// Nil for a database that belongs to no store.
    private let foreignMigration: ForeignMigration?
    /// The place of the file; nil for a store in memory.
    private let place: StorePlace?
    /// Marks the file's logs; nil for a store in memory, and for a database that belongs to no store.
    private let marker: LogMarker?
    /// Whether the file is read without locks, because it never changes.
    let isStill: Bool
    /// Whether a single connection writes and reads. Nothing is then written during a read.
    private let isAlone: Bool
    let admission: StatementCachePolicy
    private let gate = RequestGate()
    let counter = StatementCounter()

    init(
        _ connections: any DatabaseWriter, lookUps: LookUpConnection?, name: String, isReadOnly: Bool,
        foreignMigration: ForeignMigration?, place: StorePlace? = nil, marker: LogMarker? = nil,
        admission: StatementCachePolicy = StatementCachePolicy()
    ) {
        self.foreignMigration = foreignMigration
        self.place = place
        self.marker = marker
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
    /// - Parameter isSnapshot: Whether several statements must see one state. A single statement always does.
    package func read<Result>(isSnapshot: Bool, _ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try request {
            try connections.unsafeReentrantRead { database in
                let connection = connection(database)
                if !isSnapshot || isAlone || database.isInsideTransaction { return try body(connection) }
                return try Self.transaction(.deferred, on: database) { try body(connection) }
            }
        }
    }

    /// Runs `body` with a connection for reading, in the form of the database library.
    func readDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try request { try connections.unsafeReentrantRead(body) }
    }

    /// Runs `body` on one state of the database.
    package func readOnce<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try read(isSnapshot: true, body)
    }

    /// Runs `body` once in a writing transaction: other writers do not disturb it, and a returned commit is certain.
    package func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (SQLiteConnection) throws -> Result, number: (Result) -> Int64?
    ) throws -> Result {
        if isReadOnly { throw StoreConfiguration.isReadOnly(name) }
        try JournalNesting.check(self, name: name, "be written to")
        return try request {
            try connections.writeWithoutTransaction { database in
                try writingTransaction(on: database) {
                    let result = try body(connection(database))
                    try place?.check()
                    return result
                }
            }
        }
    }

    /// Runs `body` in a transaction that is on the disk when it ends, with all earlier commits.
    package func readDurably<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try JournalNesting.check(self, name: name, "wait for the disk")
        return try request {
            try connections.writeWithoutTransaction { database in
                let usual = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? 2
                try database.execute(sql: "PRAGMA synchronous = FULL")
                defer { try? database.execute(sql: "PRAGMA synchronous = \(usual)") }
                return try writingTransaction(on: database) {
                    let connection = connection(database)
                    // A transaction without writes is not synced.
                    try connection.run(SQLStatement(.sqlite, SystemTables.touch))
                    let result = try body(connection)
                    try place?.check()
                    return result
                }
            }
        }
    }

    package func isFull(_ error: any Error) -> Bool { Self.isFull(error) }

    /// Whether an error of any database means that the disk is full.
    package static func isFull(_ error: any Error) -> Bool { SQLiteFailure.isFull(error) }

    /// Waits for requests to end, then closes all connections. The writing connection is the last, so it moves the log
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

    /// Ends all requests of this object. The connections continue in a new object, with all their prepared statements.
    func successor(of model: ForeignMigration) -> SQLiteDatabase {
        gate.close()
        return SQLiteDatabase(
            connections, lookUps: lookUps, name: name, isReadOnly: isReadOnly, foreignMigration: model, place: place,
            marker: marker, admission: admission)
    }

    func connection(_ source: any StatementSource) -> SQLiteConnection {
        SQLiteConnection(source, admission: admission, counter: counter)
    }

    var isInJournal: Bool { JournalNesting.contains(self) }

    /// Runs a request, and turns its error into one for users of stores.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` after the database was closed.
    func request<Result>(_ body: () throws -> Result) throws -> Result {
        try gate.pass(orThrow: BackstitchError(.storeClosed, "\(name) was closed; open it again before using it")) {
            do {
                let result = try body()
                // The file is read without locks, so others can change it.
                if isStill { try place?.check() }
                return result
            } catch {
                throw try afterMove(error) ?? afterMigration(error) ?? SQLiteFailure.explain(error, store: name)
            }
        }
    }

    /// The error of a request that SQLite failed because the files have been moved or replaced.
    private func afterMove(_ error: any Error) -> BackstitchError? {
        error is SQLiteFailure || error is DatabaseError ? place?.fault : nil
    }

    /// The error of a request that failed because another process has migrated the tables.
    private func afterMigration(_ error: any Error) throws -> BackstitchError? {
        guard let foreignMigration, SQLiteFailure.mayTellOfOtherTables(error) else { return nil }
        return try connections.unsafeReentrantRead { database in
            try foreignMigration.error(
                on: SQLiteConnection(database, admission: admission), store: name, cause: error)
        }
    }

    /// Runs `body` in a writing transaction, and commits it unless `body` throws. If it begins a log, it marks the log.
    private func writingTransaction<Result>(on database: Database, _ body: () throws -> Result) throws -> Result {
        try Self.transaction(.immediate, on: database) {
            guard let marker else { return try body() }
            return try marker.marking(on: database, body)
        }
    }

    /// Runs `body` in a transaction, and commits it unless `body` throws.
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
