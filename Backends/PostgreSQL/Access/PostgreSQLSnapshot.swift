package import Backstitch
package import BackstitchSQL
import BackstitchSupport
import Foundation

/// A transaction that only reads, on a connection outside the pool.
package final class PostgreSQLSnapshot: SQLSnapshotConnection {
    private let database: PostgreSQLDatabase
    // Used only under the lock.
    nonisolated(unsafe) private let connection: PostgreSQLConnection
    // Recursive, because the body of a batched read may also read from the snapshot.
    private let lock = NSRecursiveLock()
    // Used only under the lock.
    nonisolated(unsafe) private var readers = 0

    fileprivate init(_ connection: PostgreSQLConnection, of database: PostgreSQLDatabase) {
        self.database = database
        self.connection = connection
    }

    package func read<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try reading { try body(connection) }
    }

    package func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try reading { try connection.forEachBatch(of: statement, entity: entity, size: size, body) }
    }

    /// Runs a read under the lock, and counts it for ``close()``.
    private func reading<Result>(_ body: () throws -> Result) throws -> Result {
        lock.lock()
        defer { lock.unlock() }
        readers += 1
        defer { readers -= 1 }
        return try database.explained(body)
    }

    /// Ends the transaction, and closes the connection.
    package func close() {
        lock.withLock {
            // When this returns, the server has released the assets. If an answer is still arriving, the server
            // releases them when it notices the end of the connection.
            if readers == 0 { connection.rollback() }
            connection.link.close()
        }
    }
}

extension PostgreSQLDatabase {
    /// Opens a connection outside the pool, and begins a transaction there that sees all present commits.
    ///
    /// - Parameter pin: Runs the first query. The transaction sees the commits before it. If the result is false, a new
    ///   transaction is begun.
    func makeSnapshot(_ pin: (PostgreSQLConnection) throws -> Bool) throws -> PostgreSQLSnapshot {
        try explained {
            while true {
                let connection = try pool.makeConnection()
                do {
                    try connection.begin(.snapshot)
                    // A pinned context may read nothing for hours. This statement is no query, so it does not fix the
                    // state yet.
                    try connection.stayOpen()
                    if try pin(connection) { return PostgreSQLSnapshot(connection, of: self) }
                } catch {
                    connection.link.close()
                    throw error
                }
                connection.link.close()
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// Passes the rows of a query to `body` in batches, all of one state. A cursor reads them, on one connection of the
    /// pool until the end.
    package func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try readOnce { try $0.forEachBatch(of: statement, entity: entity, size: size, body) }
    }
}
