package import Backstitch

/// A connection to a database, as the shared code of all SQL stores sees it. The store that lends it has begun a
/// transaction on it, or takes care of a single statement. The store takes it back at the end.
package protocol SQLConnection: AnyObject {
    /// The SQL dialect of the database.
    var dialect: any SQLDialect { get }

    /// Runs a statement once.
    ///
    /// - Returns: How many rows it changed.
    @discardableResult
    func run(_ statement: SQLStatement) throws -> Int

    /// Runs a query, and calls `body` for each row of its result.
    func forEachRow(of statement: SQLStatement, _ body: (any SQLRow) throws -> Void) throws

    /// Runs a query within a transaction, and calls `body` for each row until it returns false. A database behind a
    /// network sends `size` rows at a time, so unwanted rows are mostly not sent.
    func forEachRow(
        of statement: SQLStatement, inPortionsOf size: Int, while body: (any SQLRow) throws -> Bool) throws

    /// Runs a statement for `count` sets of parameters.
    ///
    /// - Parameter bind: Binds the parameters of a run, each of them, in order.
    /// - Parameter done: Called with the number of rows that a run changed, if the statement returns that.
    func runEach(
        _ statement: SQLBulkStatement, count: Int, bind: (_ run: Int, _ parameters: any SQLBinder) -> Void,
        done: (_ run: Int, _ changedRows: Int) -> Void) throws

    /// Runs a statement for rows of a batch. Saves spend most of their time in this loop. No key occurs twice among the
    /// rows.
    ///
    /// - Parameter positions: The rows; nil for all.
    /// - Parameter done: Called with the row, and with the number of table rows that its run changed.
    func runEach(
        _ statement: SQLRowStatement, rows: RowBatch, positions: [Int]?, done: (_ row: Int, _ changedRows: Int) -> Void)
        throws

    /// Runs a query for rows of an entity, and appends them. Fetches spend most of their time in this loop.
    ///
    /// - Parameter firstColumn: The position of the row in the result: key, version, then its columns.
    /// - Parameter isWanted: If given, called before each row is appended. It may read the other columns of the result.
    func appendRows(
        of statement: SQLStatement, entity: ResolvedEntity, firstColumn: Int, to builder: inout RowBatchBuilder,
        where isWanted: ((any SQLRow) throws -> Bool)?) throws

    /// Runs a query for values, and appends a row for each row of its result. The result has the columns of `results`.
    /// Keys and versions of the rows have no meaning.
    func appendValues(
        of statement: SQLStatement, results: ResolvedEntity, to builder: inout RowBatchBuilder) throws
}
