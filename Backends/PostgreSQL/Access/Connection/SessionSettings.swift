import Backstitch
import BackstitchSQL

/// The server's settings for the connections of a store.
struct SessionSettings: Sendable {
    /// The schema of the store's tables.
    let schema: String
    /// The most seconds for a statement; nil for no limit.
    let statementTimeout: Double?
    /// Whether the settings are made in each transaction, because a pooler may give the next one another connection.
    let isPerTransaction: Bool
    /// Whether repeated statements stay prepared.
    var preparesStatements = true
    /// Whether the server must refuse writes.
    var isReadOnly = false

    /// The seconds to wait for an answer. The server itself stops a long statement, so this limit is for a server that
    /// does not answer at all.
    var answerTimeout: Double? { statementTimeout.map { $0 + 2 } }

    /// The most seconds between two statements of a transaction. A closure of the journal may compute for some time,
    /// but one that hangs must not hold its locks for ever.
    private static let idleTimeout = 300

    /// The statement that makes the settings.
    func statement() -> SQLStatement {
        let milliseconds = String(Int64((statementTimeout ?? 0) * 1000))
        let settings: [(String, String)] = [
            ("search_path", SQLNames.quoted(schema)), ("statement_timeout", milliseconds),
            ("lock_timeout", milliseconds),
            ("idle_in_transaction_session_timeout", "\(Self.idleTimeout)s"),
            ("default_transaction_isolation", "read committed"),
            ("default_transaction_read_only", isReadOnly ? "on" : "off"),
            // Doubles are written with enough digits to distinguish them, as in Swift.
            ("extra_float_digits", "1"),
            // To compile a statement takes longer than to run most of a store's statements.
            ("jit", "off"),
        ]
        var statement = SQLStatement(.postgreSQL, "SELECT ")
        for (index, setting) in settings.enumerated() {
            statement.append((index == 0 ? "" : ", ") + "set_config('\(setting.0)', ")
            statement.append(.text(setting.1))
            statement.append(isPerTransaction ? ", true)" : ", false)")
        }
        return statement
    }
}
