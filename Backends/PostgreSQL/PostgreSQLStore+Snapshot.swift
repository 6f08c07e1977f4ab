public import Backstitch
import BackstitchSQL
import Foundation

extension PostgreSQLStore {
    /// The store as it is now: a transaction that only reads, on a connection that is not one of the pool's.
    public func makeSnapshot() throws -> (any StoreSnapshot)? {
        let connection = try database.beginSnapshot { try pinAssets(on: $0) }
        return SQLSnapshot(
            PostgreSQLSnapshotConnection(database: database, connection: connection), statements: statements)
    }
}

private final class PostgreSQLSnapshotConnection: SQLSnapshot.Connection {
    private let database: PostgreSQLDatabase
    // Used under the lock only.
    nonisolated(unsafe) private let connection: PostgreSQLConnection
    // Recursive, since the body of a batched read may read from the snapshot too.
    private let lock = NSRecursiveLock()
    // Used under the lock only.
    nonisolated(unsafe) private var readers = 0

    init(database: PostgreSQLDatabase, connection: PostgreSQLConnection) {
        self.database = database
        self.connection = connection
    }

    func read(_ body: (any SQLConnection) throws -> Void) throws {
        try reading { try body(connection) }
    }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try reading { try connection.forEachBatch(of: statement, entity: entity, size: size, body) }
    }

    private func reading(_ body: () throws -> Void) throws {
        try lock.withLock {
            readers += 1
            defer { readers -= 1 }
            try database.explained(body)
        }
    }

    func close() {
        lock.withLock {
            // So that the server has let go of the assets when this returns. In the middle of an answer it does so when
            // it hears of the end.
            if readers == 0 { connection.rollback() }
            connection.link.close()
        }
    }
}

extension PostgreSQLDatabase {
    /// A connection outside the pool on which a transaction has begun that sees what is committed now.
    ///
    /// - Parameter pin: The first query: the transaction sees what was committed before it. False when it is to be
    ///   begun anew.
    func beginSnapshot(_ pin: (PostgreSQLConnection) throws -> Bool) throws -> PostgreSQLConnection {
        try explained {
            while true {
                let connection = try pool.makeConnection()
                do {
                    try connection.begin(.snapshot)
                    if try pin(connection) { return connection }
                } catch {
                    connection.link.close()
                    throw error
                }
                connection.link.close()
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }
}
