package import Backstitch
package import BackstitchSQL
import BackstitchSupport
import Foundation

/// A transaction that only reads, on a connection that is not one of the pool's.
package final class PostgreSQLSnapshot: SQLSnapshotConnection {
    private let database: PostgreSQLDatabase
    // Used under the lock only.
    nonisolated(unsafe) private let connection: PostgreSQLConnection
    // Recursive, since the body of a batched read may read from the snapshot too.
    private let lock = NSRecursiveLock()
    // Used under the lock only.
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

    private func reading<Result>(_ body: () throws -> Result) throws -> Result {
        lock.lock()
        defer { lock.unlock() }
        readers += 1
        defer { readers -= 1 }
        return try database.explained(body)
    }

    package func close() {
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
    func makeSnapshot(_ pin: (PostgreSQLConnection) throws -> Bool) throws -> PostgreSQLSnapshot {
        try explained {
            while true {
                let connection = try pool.makeConnection()
                do {
                    try connection.begin(.snapshot)
                    // A pinned context may read nothing for hours. This is no query.
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

    /// Gives the rows of a query in batches, all of one state: through a cursor on a connection that is taken from the
    /// pool until the end.
    package func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try readOnce { try $0.forEachBatch(of: statement, entity: entity, size: size, body) }
    }
}
