package import Backstitch

/// The database of a store, as the requests that all SQL stores share see it: connections and transactions.
///
/// Each call waits for a connection and ends with it. Errors come out as a ``BackstitchError`` that names the store.
package protocol SQLDatabase: AnyObject, Sendable {
    associatedtype Connection: SQLConnection

    /// Runs `body`, which only reads and may be run again.
    ///
    /// - Parameter isSnapshot: Whether several statements shall see one state. A single one sees one anyway.
    func read<Result>(isSnapshot: Bool, _ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which reads by one statement of those that come again and again. It may be run again.
    func look<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body`, which only reads, once and on one state of the database.
    func readOnce<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Runs `body` in a transaction that writes; if it throws, nothing of it remains.
    ///
    /// - Parameters:
    ///   - token: Names the transaction in history, where a database needs that to find out how it ended.
    ///   - mayRepeat: Whether `body` may be run again, when others got into its way.
    ///   - number: The transaction's number in what `body` gave; nil when it has no history.
    func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (Connection) throws -> Result, number: (Result) -> Int64?
    ) throws -> Result
}

extension SQLDatabase {
    /// As any other reading.
    package func look<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try read(isSnapshot: false, body)
    }
}
