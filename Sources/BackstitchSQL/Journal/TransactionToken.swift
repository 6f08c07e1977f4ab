package import Backstitch

/// Finds out whether a transaction was committed whose connection broke before the answer came.
///
/// Its history has a token of its own. While the transaction is under way it holds the lock on the counter, so whoever
/// has that lock sees either its history or that there will be none.
package struct TransactionToken {
    private let connection: any SQLConnection

    /// Asks through a connection on which a transaction has begun.
    package init(_ connection: any SQLConnection) { self.connection = connection }

    /// Keeps other writers of history out until the end of the transaction. There are none where there is one writer at
    /// a time.
    package func lock() throws {
        let ending = connection.dialect.rowLock(.update, of: nil)
        guard !ending.isEmpty else { return }
        try connection.run(
            SQLStatement(
                connection.dialect, "SELECT value FROM \(SystemTables.counter) WHERE name = 'transaction'\(ending)"))
    }

    /// The number of the transaction with that token; nil when there is none.
    ///
    /// - Parameter number: The lowest number that it may have.
    package func number(of token: ObjectKey, from number: Int64) throws -> Int64? {
        var statement = SQLStatement(
            connection.dialect, "SELECT number FROM \(SystemTables.transaction) WHERE number >= ")
        statement.append(.int(number))
        statement.append(" AND token = ")
        statement.append(.key(token))
        var found: Int64?
        try connection.forEachRow(of: statement) { found = $0.int(0) }
        return found
    }
}
