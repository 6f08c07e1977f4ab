package import Backstitch
package import BackstitchSQL
import CLibPQ

/// A connection of a PostgreSQL store. One request uses it at a time.
///
/// Statements are queued and sent together if no answer is needed in between. `BEGIN` is sent with the first statement,
/// and a preparation with the first run. The parts of a large write follow each other, so that the server writes one
/// part while the next is encoded.
package final class PostgreSQLConnection: SQLConnection {
    let link: PostgreSQLLink
    package var dialect: any SQLDialect { PostgreSQLDialect() }

    private let settings: SessionSettings
    private let admission: StatementCachePolicy
    private var prepared: [PreparedKey: String] = [:]
    private var preparedCount = 0
    private var queue: [Queued] = []
    private var queuedBytes = 0
    /// Whether a transaction has begun, also if its `BEGIN` is still in the queue.
    private(set) var isInTransaction = false
    /// The last failure since the beginning of a transaction. The work of the transaction may have turned it into
    /// another error.
    private(set) var lastFailure: PostgreSQLFailure?

    /// The key of a prepared statement. The same text with parameters of other types is another statement.
    private struct PreparedKey: Hashable {
        let text: String
        let types: [PostgreSQLType]
    }

    /// A request in the queue. The answers are in the same order.
    private enum Queued {
        case preparation(PreparedKey)
        /// A run of a statement; its result may be wanted or not.
        case run(isWanted: Bool)
    }

    /// The number of queued bytes after which the answers are read first.
    private static let queueLimit = 64 << 20

    /// Connects, and makes the session's settings.
    init(
        _ address: PostgreSQLAddress, settings: SessionSettings, admission: StatementCachePolicy,
        until deadline: Deadline
    ) throws {
        link = try PostgreSQLLink(address, until: deadline)
        self.settings = settings
        self.admission = admission
        if !settings.isPerTransaction { _ = try query(settings.statement()) }
    }

    /// Whether it can serve another request.
    var isReusable: Bool { !isInTransaction && queue.isEmpty && link.isIdle }

    @discardableResult
    package func run(_ statement: SQLStatement) throws -> Int { try query(statement).changedRows }

    package func forEachRow(of statement: SQLStatement, _ body: (any SQLRow) throws -> Void) throws {
        let result = try query(statement)
        let row = PostgreSQLRow(result)
        for index in 0..<result.rowCount {
            row.index = index
            try body(row)
        }
    }

    /// Runs a query through a cursor, in portions of `size` rows. Rows beyond the last needed portion are not sent.
    package func forEachRow(
        of statement: SQLStatement, inPortionsOf size: Int, while body: (any SQLRow) throws -> Bool
    ) throws {
        var declaration = statement.preceded(by: "DECLARE backstitch_portions NO SCROLL CURSOR FOR ")
        declaration.isAdHoc = true
        try enqueue(declaration, isWanted: false)
        // It is sent with the next statement, so that it needs no message of its own.
        defer { try? enqueue(SQLStatement(.postgreSQL, "CLOSE backstitch_portions"), isWanted: false) }
        let portion = SQLStatement(.postgreSQL, "FETCH FORWARD \(size) FROM backstitch_portions")
        while true {
            let result = try query(portion)
            let row = PostgreSQLRow(result)
            for index in 0..<result.rowCount {
                row.index = index
                guard try body(row) else { return }
            }
            if result.rowCount < size { return }
        }
    }

    /// Runs a query, and decodes its rows directly into a batch.
    package func appendRows(
        of statement: SQLStatement, entity: ResolvedEntity, firstColumn: Int, to builder: inout RowBatchBuilder,
        where isWanted: ((any SQLRow) throws -> Bool)?
    ) throws {
        let result = try query(statement)
        let decoder = try PostgreSQLRowDecoder(result, entity: entity, firstColumn: firstColumn)
        let row = PostgreSQLRow(result)
        builder.reserve(result.rowCount)
        for index in 0..<result.rowCount {
            if let isWanted {
                row.index = index
                guard try isWanted(row) else { continue }
            }
            try decoder.append(index, to: &builder)
        }
    }

    /// Passes the rows of a query to `body` in batches. A transaction must have begun, without another open cursor.
    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        // Between two batches the connection waits for `body`.
        try stayOpen()
        var declaration = statement.preceded(by: "DECLARE backstitch_cursor NO SCROLL CURSOR FOR ")
        declaration.isAdHoc = true
        try enqueue(declaration, isWanted: false)
        var fetch = SQLStatement(.postgreSQL, "FETCH FORWARD \(size) FROM backstitch_cursor")
        fetch.isAdHoc = true
        while true {
            let result = try query(fetch)
            if result.rowCount == 0 { break }
            let decoder = try PostgreSQLRowDecoder(result, entity: entity, firstColumn: 0)
            var builder = RowBatchBuilder(entity: entity, capacity: result.rowCount)
            for index in 0..<result.rowCount { try decoder.append(index, to: &builder) }
            try body(builder.finish())
            if result.rowCount < size { break }
        }
        try run(SQLStatement(.postgreSQL, "CLOSE backstitch_cursor"))
    }

    /// Runs a statement and returns its result.
    func query(_ statement: SQLStatement) throws -> PostgreSQLResult {
        try enqueue(statement, isWanted: true)
        return try firstResult(of: finish())
    }
}

extension PostgreSQLConnection {
    /// Begins a transaction. The statement is sent with the next one.
    func begin(_ kind: TransactionKind) throws {
        try enqueue(SQLStatement(.postgreSQL, kind.rawValue), isWanted: false)
        isInTransaction = true
        lastFailure = nil
        if settings.isPerTransaction { try enqueue(settings.statement(), isWanted: false) }
    }

    /// Allows the transaction any time until its next statement.
    func stayOpen() throws {
        try enqueue(SQLStatement(.postgreSQL, "SET LOCAL idle_in_transaction_session_timeout = 0"), isWanted: false)
    }

    /// Ends the transaction with a commit.
    ///
    /// - Throws: ``PostgreSQLFailure`` of kind refused when the transaction was undone; of kind lost or silent when its
    ///   result is still unknown.
    func commit() throws {
        try enqueue(SQLStatement(.postgreSQL, "COMMIT"), isWanted: true)
        let result = try firstResult(of: finish())
        isInTransaction = false
        guard result.tag == "COMMIT" else {
            throw PostgreSQLFailure(.refused, state: "25P02", "the transaction had failed and was undone")
        }
    }

    /// The failure behind an error of a transaction's work, if others caused it. The work may then run again, or its
    /// caller may try later. Otherwise the result is the error itself. The work may have replaced the failure by an
    /// error of its own.
    func reason(for error: any Error) -> any Error {
        if let lastFailure, lastFailure.isTransient || lastFailure.isTimeout { return lastFailure }
        if link.isBroken, !(error is PostgreSQLFailure) {
            return PostgreSQLFailure(.lost, "the connection broke within a transaction: \(error)")
        }
        return error
    }

    /// Forgets the last failure, because it has no meaning for the next request.
    func forgetFailure() { lastFailure = nil }

    /// Undoes the transaction. If that fails, the connection is closed, and the server undoes it.
    func rollback() {
        defer { isInTransaction = false }
        // Queued statements would run first. If one fails, the end of the transaction needs another message.
        if !queue.isEmpty, !link.isBroken { _ = try? finish() }
        guard !link.isBroken else { return }
        do {
            try enqueue(SQLStatement(.postgreSQL, "ROLLBACK"), isWanted: true)
            _ = try finish()
        } catch {
            link.close()
        }
    }

    /// Queues a statement with its parameters.
    ///
    /// - Parameter isWanted: Whether ``finish()`` returns its result.
    func enqueue(_ statement: SQLStatement, isWanted: Bool) throws {
        var parameters = StatementParameters()
        for parameter in statement.parameters { try parameters.append(parameter) }
        let stays = !statement.isAdHoc || admission.admits(statement.text)
        try enqueue(statement.text, parameters, stays: stays, isWanted: isWanted)
    }

    /// Queues a statement with parameters that are already encoded.
    ///
    /// - Parameter stays: Whether the statement stays prepared.
    func enqueue(
        _ text: String, _ parameters: borrowing StatementParameters, stays: Bool, isWanted: Bool
    ) throws {
        if settings.isPerTransaction, !isInTransaction, queue.isEmpty, !text.hasPrefix("BEGIN") {
            // Until the answers, all queued statements form one transaction.
            queue.append(.run(isWanted: false))
            let statement = settings.statement()
            var parameters = StatementParameters()
            for parameter in statement.parameters { try parameters.append(parameter) }
            try link.send(statement.text, parameters)
        }
        queuedBytes += parameters.byteCount
        if stays, settings.preparesStatements {
            try link.send(prepared: try name(of: PreparedKey(text: text, types: parameters.types)), parameters)
        } else {
            try link.send(text, parameters)
        }
        queue.append(.run(isWanted: isWanted))
        try link.push()
    }

    /// Whether the queue is so long that the answers should be read first.
    var isQueueFull: Bool { queuedBytes > Self.queueLimit }

    /// The name of a prepared statement. A new one is prepared in the same message.
    private func name(of key: PreparedKey) throws -> String {
        if let name = prepared[key] { return name }
        preparedCount += 1
        let name = "backstitch_\(preparedCount)"
        try link.sendPreparation(name, key.text, key.types)
        queue.append(.preparation(key))
        prepared[key] = name
        return name
    }
}

extension PostgreSQLConnection {
    /// Sends the queued statements, waits for all answers, and returns the wanted ones in order.
    ///
    /// - Throws: ``PostgreSQLFailure`` for the first failed statement; the statements after it did not run.
    func finish() throws -> [PostgreSQLResult] {
        let queued = queue
        queue = []
        queuedBytes = 0
        try link.sendSync()
        var results: [PostgreSQLResult] = []
        var failure: PostgreSQLFailure?
        for item in queued {
            let outcome = try answer()
            switch (item, outcome) {
            case (.run(true), .success(let result)): results.append(result)
            case (.run(false), .success), (.preparation, .success): break
            case (.preparation(let key), .failure(let error)):
                prepared[key] = nil
                failure = failure ?? error
            case (.run, .failure(let error)): failure = failure ?? error
            }
        }
        guard let end = try link.nextResult(until: deadline), end.status == PGRES_PIPELINE_SYNC else {
            throw link.malformed("the answers did not end at the expected place")
        }
        if let failure {
            lastFailure = checked(failure)
            throw lastFailure ?? failure
        }
        return results
    }

    /// The deadline for an answer to a request that is sent now.
    var deadline: Deadline { Deadline(seconds: settings.answerTimeout) }

    /// The answer to the next statement in the queue.
    private func answer() throws -> Result<PostgreSQLResult, PostgreSQLFailure> {
        var outcome: Result<PostgreSQLResult, PostgreSQLFailure>?
        while let result = try link.nextResult(until: deadline) {
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: outcome = .success(result)
            case PGRES_FATAL_ERROR:
                let failure = link.failure(of: result)
                if failure.isDisconnection { throw failure }
                outcome = .failure(failure)
            case PGRES_PIPELINE_ABORTED:
                outcome = .failure(PostgreSQLFailure(.refused, state: "25P02", "an earlier statement failed"))
            default: throw link.malformed("an answer has the status \(result.status.rawValue)")
            }
        }
        guard let outcome else { throw link.malformed("a statement has no answer") }
        return outcome
    }

    /// Handles the failure of a prepared statement: the server has forgotten it, or its tables have changed. The
    /// connection is closed, because a new one does not have the fault.
    private func checked(_ failure: PostgreSQLFailure) -> PostgreSQLFailure {
        guard ["26000", "42P05", "0A000"].contains(failure.state) else { return failure }
        link.close()
        // Behind a pooler without support for prepared statements, a new connection has the same fault.
        if settings.isPerTransaction, failure.state != "0A000" { return failure }
        return PostgreSQLFailure(.lost, state: failure.state, failure.message)
    }

    private func firstResult(of results: [PostgreSQLResult]) throws -> PostgreSQLResult {
        guard let result = results.last else { throw link.malformed("an answer is missing") }
        return result
    }
}
