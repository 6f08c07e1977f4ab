package import Backstitch

/// Finds out if a transaction was committed when its connection broke before the answer arrived.
///
/// The transaction's history has a token of its own. While it runs, it holds the lock on the counter. Another
/// transaction that gets the lock sees its history, or knows that there will be none.
package struct TransactionToken {
    private let connection: any SQLConnection

    /// Creates a query through a connection that has begun a transaction.
    package init(_ connection: any SQLConnection) { self.connection = connection }

    /// Keeps other writers of history out until the end of the transaction. A database with one writer at a time needs
    /// no lock.
    package func lock() throws {
        let ending = connection.dialect.rowLock(.update, of: nil)
        guard !ending.isEmpty else { return }
        try connection.run(
            SQLStatement(
                connection.dialect, "SELECT value FROM \(SystemTables.counter) WHERE name = 'transaction'\(ending)"))
    }

    /// The number of the transaction with that token; nil when history has none.
    ///
    /// - Parameter number: The lowest possible number of the transaction.
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
