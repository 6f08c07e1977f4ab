package import Backstitch
package import BackstitchSQL
import Foundation

/// Runs the requests of a store on connections of its pool, and again where that is safe.
///
/// - A request that only reads is run again when its connection broke.
/// - A save is run again, whole, when it was undone because of others (a deadlock, a serialisation failure), or when
///   its connection broke before its end was sent.
/// - When the connection breaks at the end itself, nobody knows whether the save is stored. Its history says it.
package final class PostgreSQLDatabase: SQLDatabase {
    package let name: String
    let pool: PostgreSQLPool
    private let isReadOnly: Bool
    /// Nil for a database that is no store's.
    private let foreignMigration: ForeignMigration?

    /// How many transactions and requests can run at the same time.
    package var writerCount: Int { pool.limit }
    package var readerCount: Int { pool.limit }
    package var hasOtherWriters: Bool { true }

    /// How often a request is begun at most.
    private static let attempts = 8

    init(_ pool: PostgreSQLPool, name: String, isReadOnly: Bool, foreignMigration: ForeignMigration?) {
        self.foreignMigration = foreignMigration
        self.isReadOnly = isReadOnly
        self.pool = pool
        self.name = name
    }

    /// Runs `body`, which only reads and may be run again, with a connection.
    ///
    /// - Parameter isSnapshot: Whether several statements shall see one state. A single one sees one anyway.
    package func read<Result>(isSnapshot: Bool, _ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try explained {
            try repeated { failure in
                failure.isDisconnection
            } body: {
                try pool.withConnection { connection in
                    // The code that reads may have made an error of its own of the connection's.
                    func read(_ connection: PostgreSQLConnection) throws -> Result {
                        do { return try body(connection) } catch { throw connection.reason(for: error) }
                    }
                    return isSnapshot ? try Self.transaction(.snapshot, on: connection, read) : try read(connection)
                }
            }
        }
    }

    /// Runs `body`, once, in a snapshot.
    package func readOnce<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try explained {
            try pool.withConnection { try Self.transaction(.snapshot, on: $0, body) }
        }
    }

    /// Runs `body` in a transaction, and again if others got into its way and it may be run again. When the connection
    /// breaks at the end, the token in history tells whether it was committed. Without a number in history nothing
    /// does: a body that may be run again is, and writes the same again; of another the error says that it is unknown.
    package func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (PostgreSQLConnection) throws -> Result,
        number: (Result) -> Int64?
    ) throws -> Result {
        try explained {
            try JournalNesting.check(self, name: name, "be written to")
            return try repeated { failure in
                mayRepeat && (failure.isTransient || failure.isDisconnection)
            } body: {
                let (result, end) = try attempt(body)
                guard case .unknown(let failure) = end else { return result }
                if let token, let number = number(result) {
                    if try wasCommitted(token, number, after: failure) { return result }
                } else if !mayRepeat {
                    throw Self.unknown(name, failure)
                }
                throw failure
            }
        }
    }

    /// Runs `body` in a transaction, and again if others got into its way or the connection broke under it. When it
    /// breaks at the end, nobody but `body`'s own rows can tell whether they are there, so it is not run again then.
    package func transact<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        do {
            return try repeated {
                $0.isTransient || $0.isDisconnection
            } body: {
                let (result, end) = try attempt { connection in
                    do { return try body(connection) } catch { throw connection.reason(for: error) }
                }
                if case .unknown(let failure) = end { throw TransactionFailure(.unknown, cause: failure) }
                return result
            }
        } catch let failure as PostgreSQLFailure where failure.isOthersDoing {
            throw TransactionFailure(.busy, cause: failure)
        } catch {
            throw PostgreSQLFailure.explain(error, store: name)
        }
    }

    package func mayPass(_ error: any Error) -> Bool {
        Self.failure(error)?.isOthersDoing ?? false
    }

    package func isFull(_ error: any Error) -> Bool { Self.failure(error)?.isFull ?? false }

    private static func failure(_ error: any Error) -> PostgreSQLFailure? {
        (error as? BackstitchError)?.cause as? PostgreSQLFailure ?? error as? PostgreSQLFailure
    }

    package func makeNotifier(channel: String) throws -> (any SQLNotifier)? {
        try explained { try pool.makeNotifier(channel: channel) }
    }

    /// Waits for requests to end, then closes all connections.
    package func close() throws {
        try JournalNesting.check(self, name: name, "be closed")
        pool.close()
    }
}

extension PostgreSQLDatabase {
    private enum End {
        case committed
        case unknown(PostgreSQLFailure)
    }

    private func attempt<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> (Result, End) {
        if isReadOnly { throw StoreConfiguration.isReadOnly(name) }
        return try pool.withConnection { connection in
            try connection.begin(.writing)
            let result: Result
            do { result = try body(connection) } catch {
                connection.rollback()
                throw error
            }
            do { try connection.commit() } catch let failure as PostgreSQLFailure where failure.isDisconnection {
                return (result, .unknown(failure))
            } catch {
                connection.rollback()
                throw error
            }
            return (result, .committed)
        }
    }

    private func wasCommitted(_ token: ObjectKey, _ number: Int64, after failure: PostgreSQLFailure) throws -> Bool {
        do {
            return try repeated {
                $0.isDisconnection
            } body: {
                try pool.withConnection { connection in
                    try Self.transaction(.writing, on: connection) { connection in
                        let history = TransactionToken(connection)
                        try history.lock()
                        return try history.number(of: token, from: number) != nil
                    }
                }
            }
        } catch {
            throw Self.unknown(name, error)
        }
    }

    private static func unknown(_ name: String, _ cause: any Error) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "the connection to \(name) broke while a transaction was being committed, and it could not be found out whether it was. "
                + "Read again before you write again", cause: cause)
    }

    /// Runs `body` again after failures that `isWorthIt` names, with a pause that grows.
    private func repeated<Result>(
        _ isWorthIt: (PostgreSQLFailure) -> Bool, body: () throws -> Result
    ) throws -> Result {
        var pause = 0.005
        for _ in 1..<Self.attempts {
            do { return try body() } catch let failure as PostgreSQLFailure
                where isWorthIt(failure) && failure.kind != .silent
            {
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, 0.5)
            }
        }
        return try body()
    }

    private static func transaction<Result>(
        _ kind: TransactionKind, on connection: PostgreSQLConnection, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        try connection.begin(kind)
        do {
            let result = try body(connection)
            try connection.commit()
            return result
        } catch {
            connection.rollback()
            throw error
        }
    }

    func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            throw try afterMigration(error) ?? PostgreSQLFailure.explain(error, store: name)
        }
    }

    /// The error of a request that failed since the tables are others than when the store was opened.
    private func afterMigration(_ error: any Error) throws -> BackstitchError? {
        guard let foreignMigration, let failure = error as? PostgreSQLFailure, failure.mayTellOfOtherTables else {
            return nil
        }
        return try pool.withConnection { try foreignMigration.error(on: $0, store: name, cause: failure) }
    }
}
