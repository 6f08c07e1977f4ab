import GRDB
import GRDBSQLite

/// A connection to a database, as one that has prepared statements to give.
protocol StatementSource: AnyObject {
    /// Runs `body` with the statement of that text, and afterwards leaves it as it was before.
    ///
    /// - Parameter stays: Whether the connection keeps it prepared.
    func use<Result>(_ text: String, stays: Bool, _ body: (PreparedStatement) throws -> Result) throws -> Result
}

extension Database: StatementSource {
    func use<Result>(_ text: String, stays: Bool, _ body: (PreparedStatement) throws -> Result) throws -> Result {
        var statement = stays ? try cachedStatement(sql: text) : try makeStatement(sql: text)
        // A statement is run again while a loop over its rows is under way: that loop must not be disturbed.
        if sqlite3_stmt_busy(statement.sqliteStatement) != 0 { statement = try makeStatement(sql: text) }
        return try withExtendedLifetime(statement) { try PreparedStatement(statement, on: self).use(body) }
    }
}
