import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// A connection that stays at one state, since a transaction has begun on it.
final class MarbleSnapshot: SQLSnapshotConnection {
    private let database: MarbleDatabase
    // Recursive, since the body of a batched read may read from the snapshot too.
    private let lock = NSRecursiveLock()
    // Used under the lock only.
    nonisolated(unsafe) private var connection: MarbleConnection?

    fileprivate init(_ connection: MarbleConnection, of database: MarbleDatabase) {
        self.connection = connection
        self.database = database
    }

    func read<Result>(_ body: (MarbleConnection) throws -> Result) throws -> Result {
        lock.lock()
        defer { lock.unlock() }
        guard let connection else { throw BackstitchError(.storeClosed, "the snapshot was let go") }
        return try database.request { try body(connection) }
    }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try read { try $0.forEachBatch(of: statement, entity: entity, size: size, body) }
    }

    func close() { lock.withLock { connection = nil } }
}

extension MarbleDatabase {
    func makeSnapshot() throws -> MarbleSnapshot {
        try request {
            let connection = try connect()
            try connection.run("BEGIN")
            // The first statement that reads fixes the state.
            _ = try HistoryReader(connection).lastNumber()
            return MarbleSnapshot(connection, of: self)
        }
    }
}
