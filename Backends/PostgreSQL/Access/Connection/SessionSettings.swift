import Backstitch
import BackstitchSQL

/// How the server shall treat a store's connections.
struct SessionSettings: Sendable {
    /// The schema whose tables names refer to.
    let schema: String
    /// Seconds that a statement may take; nil for any time.
    let statementTimeout: Double?
    /// Whether they are made in each transaction, since the next may have another connection of the server's.
    let isPerTransaction: Bool
    /// Whether statements that come again are kept prepared.
    var preparesStatements = true
    /// Whether the server shall refuse writes.
    var isReadOnly = false

    /// How long we wait for an answer: the server stops a statement by itself, so this is for one that says nothing at
    /// all.
    var answerTimeout: Double? { statementTimeout.map { $0 + 2 } }

    /// A closure of the journal may compute for a while inside its transaction; one that hangs must not hold its locks
    /// for ever.
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
            // Doubles are written with as many digits as tell them apart, as Swift does.
            ("extra_float_digits", "1"),
            // Compiling a statement takes longer than most of ours.
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
