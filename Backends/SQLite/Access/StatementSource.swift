import GRDB
import GRDBSQLite

/// A connection to a database, as the source of prepared statements.
protocol StatementSource: AnyObject {
    /// Runs `body` with the statement of that text, and afterwards resets the statement.
    ///
    /// - Parameter stays: Whether the connection keeps it prepared.
    func use<Result>(_ text: String, stays: Bool, _ body: (PreparedStatement) throws -> Result) throws -> Result
}

extension Database: StatementSource {
    func use<Result>(_ text: String, stays: Bool, _ body: (PreparedStatement) throws -> Result) throws -> Result {
        var statement = stays ? try cachedStatement(sql: text) : try makeStatement(sql: text)
        // A statement may be needed again inside a loop over its own rows. That loop must not be disturbed.
        if sqlite3_stmt_busy(statement.sqliteStatement) != 0 { statement = try makeStatement(sql: text) }
        return try withExtendedLifetime(statement) { try PreparedStatement(statement, on: self).use(body) }
    }
}
