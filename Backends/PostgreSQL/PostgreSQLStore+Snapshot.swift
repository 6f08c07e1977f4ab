public import Backstitch
import BackstitchSQL
import Foundation

extension PostgreSQLStore {
    /// The store as it is now: a transaction that only reads, on a connection that is not one of the pool's.
    public func makeSnapshot() throws -> (any StoreSnapshot)? {
        let connection = try database.beginSnapshot()
        return SQLSnapshot(
            PostgreSQLSnapshotConnection(database: database, connection: connection), statements: statements)
    }
}

private final class PostgreSQLSnapshotConnection: SQLSnapshot.Connection {
    private let database: PostgreSQLDatabase
    // Used under the lock only.
    nonisolated(unsafe) private let connection: PostgreSQLConnection
    // Whoever reads in batches may read other things meanwhile.
    private let lock = NSRecursiveLock()

    init(database: PostgreSQLDatabase, connection: PostgreSQLConnection) {
        self.database = database
        self.connection = connection
    }

    func read(_ body: (any SQLConnection) throws -> Void) throws {
        try lock.withLock { try database.explained { try body(connection) } }
    }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try lock.withLock {
            try database.explained {
                try connection.forEachBatch(of: statement, entity: entity, size: size, body)
            }
        }
    }

    func close() { lock.withLock { connection.link.close() } }
}

extension PostgreSQLDatabase {
    /// A connection outside the pool on which a transaction has begun that sees what is committed now.
    func beginSnapshot() throws -> PostgreSQLConnection {
        try explained {
            let connection = try pool.makeConnection()
            do {
                try connection.begin(.snapshot)
                // A transaction sees what was committed before its first query.
                _ = try HistoryReader(connection).lastNumber()
                return connection
            } catch {
                connection.link.close()
                throw error
            }
        }
    }
}
