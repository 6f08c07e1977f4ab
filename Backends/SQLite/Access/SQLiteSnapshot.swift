package import Backstitch
package import BackstitchSQL
import GRDB

/// A connection that stays at one state of a file.
package struct SQLiteSnapshot: SQLSnapshotConnection {
    private let database: SQLiteDatabase
    private let snapshot: DatabaseSnapshot

    fileprivate init(_ snapshot: DatabaseSnapshot, of database: SQLiteDatabase) {
        self.snapshot = snapshot
        self.database = database
    }

    package func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try reading { try body(database.connection($0)) }
    }

    package func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        database.counter.count()
        var cursor: SQLiteCursor?
        // The statement must end before its connection closes.
        defer { withExtendedLifetime(snapshot) { cursor = nil } }
        while true {
            let batch = try reading { database in
                let current = try cursor ?? SQLiteCursor(statement, entity: entity, on: database)
                cursor = current
                return try current.next(size)
            }
            guard let batch else { return }
            try body(batch)
        }
    }

    private func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try database.request { try snapshot.unsafeReentrantRead(body) }
    }

    package func close() {
        // It only reads, so nothing is lost if it cannot be closed properly.
        try? snapshot.close()
    }
}

extension SQLiteDatabase {
    /// A connection of its own that stays at the present state. Nil for a store in memory. Also nil if the caller has
    /// the journal open, because other connections cannot see the journal's state.
    func makeSnapshot() throws -> SQLiteSnapshot? {
        // The database library ends the process if a snapshot is made within a writing transaction.
        if isInJournal { return nil }
        return try request {
            try (connections as? DatabasePool).map { SQLiteSnapshot(try $0.makeSnapshot(), of: self) }
        }
    }

    /// Passes the rows of a query to `body` in batches. A store in memory copies the rows first, and so does a store
    /// with an open journal. Otherwise a store in a file reads step by step, on a connection of its own. `body` runs
    /// while no other connection is in use.
    package func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        if let snapshot = try makeSnapshot() {
            return try snapshot.forEachBatch(of: statement, entity: entity, size: size, body)
        }
        counter.count()
        for batch in try allBatches(of: statement, entity, size) { try body(batch) }
    }

    /// Reads all batches of a query at once.
    private func allBatches(of statement: SQLStatement, _ entity: ResolvedEntity, _ size: Int) throws -> [RowBatch] {
        try readDatabase { database in
            let cursor = try SQLiteCursor(statement, entity: entity, on: database)
            var batches: [RowBatch] = []
            while let batch = try cursor.next(size) { batches.append(batch) }
            return batches
        }
    }
}
