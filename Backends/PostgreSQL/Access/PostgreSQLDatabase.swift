package import Backstitch
package import BackstitchSQL
import Foundation

/// Runs the requests of a store on connections of its pool, and repeats them if that is safe.
///
/// - A request that only reads runs again if its connection broke.
/// - A save runs again, as a whole, if others caused its undoing (a deadlock, a serialisation failure). It also does so
///   if its connection broke before its commit was sent.
/// - If the connection breaks during the commit, it is unknown whether the save is stored. Its history shows it.
package final class PostgreSQLDatabase: SQLDatabase {
    package let name: String
    let pool: PostgreSQLPool
    private let isReadOnly: Bool
    /// Nil for a database that belongs to no store.
    private let foreignMigration: ForeignMigration?

    /// The number of transactions and requests that can run at the same time.
    package var writerCount: Int { pool.limit }
    package var readerCount: Int { pool.limit }
    package var hasOtherWriters: Bool { true }

    /// The most attempts for a request.
    private static let attempts = 8

    init(_ pool: PostgreSQLPool, name: String, isReadOnly: Bool, foreignMigration: ForeignMigration?) {
        self.foreignMigration = foreignMigration
        self.isReadOnly = isReadOnly
        self.pool = pool
        self.name = name
    }

    /// Runs `body`, which only reads and may run again, with a connection.
    ///
    /// - Parameter isSnapshot: Whether several statements must see one state. A single statement always does.
    package func read<Result>(isSnapshot: Bool, _ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try explained {
            try repeated { failure in
                failure.isDisconnection
            } body: {
                try pool.withConnection { connection in
                    // The reading code may have replaced the connection's failure by an error of its own.
                    func read(_ connection: PostgreSQLConnection) throws -> Result {
                        do { return try body(connection) } catch { throw connection.reason(for: error) }
                    }
                    return isSnapshot ? try Self.transaction(.snapshot, on: connection, read) : try read(connection)
                }
            }
        }
    }

    /// Runs `body` once, in a snapshot.
    package func readOnce<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
        try explained {
            try pool.withConnection { try Self.transaction(.snapshot, on: $0, body) }
        }
    }

    /// Runs `body` in a transaction, and again after conflicts with others, if `body` may repeat. If the connection
    /// breaks during the commit, the token in history shows whether it was committed. Without a number in history, this
    /// stays unknown. A repeatable body then runs again, and writes the same again. For any other body the error says
    /// that the result is unknown.
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

    /// Runs `body` in a transaction, and again after conflicts with others or if the connection broke within it. If it
    /// breaks during the commit, `body` does not run again, because only its own rows show whether they were stored.
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

    /// The failure behind an error, also if it was turned into one for users.
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
    /// The end of an attempt: a certain commit, or a connection that broke during it.
    private enum End {
        case committed
        case unknown(PostgreSQLFailure)
    }

    /// Runs `body` in one transaction. The result tells whether the commit is certain.
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

    /// Whether the transaction with a token was committed. It waits until the transaction has ended.
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

    /// The error for a transaction whose commit is unknown.
    private static func unknown(_ name: String, _ cause: any Error) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "the connection to \(name) broke during a commit, and it is not known whether the transaction was "
                + "committed. Read again before you write again", cause: cause)
    }

    /// Runs `body` again after failures that `isWorthIt` accepts. The pause before each attempt grows.
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

    /// Runs `body` in a transaction, and commits it; undoes it if `body` throws.
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

    /// Turns an error of `body` into one for users of stores.
    func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            throw try afterMigration(error) ?? PostgreSQLFailure.explain(error, store: name)
        }
    }

    /// The error of a request that failed because another process has migrated the tables.
    private func afterMigration(_ error: any Error) throws -> BackstitchError? {
        guard let foreignMigration, let failure = error as? PostgreSQLFailure, failure.mayTellOfOtherTables else {
            return nil
        }
        return try pool.withConnection { try foreignMigration.error(on: $0, store: name, cause: failure) }
    }
}
