package import Backstitch

/// A connection to a database, as the code that all SQL stores share sees it. The store that hands one out has begun a
/// transaction on it or answers for a single statement, and takes it back at the end.
package protocol SQLConnection: AnyObject {
    /// The SQL that it speaks.
    var dialect: any SQLDialect { get }

    /// Runs a statement once.
    ///
    /// - Returns: How many rows it changed.
    @discardableResult
    func run(_ statement: SQLStatement) throws -> Int

    /// Runs a query, and `body` with each row of its result.
    func forEachRow(of statement: SQLStatement, _ body: (any SQLRow) throws -> Void) throws

    /// Runs a query within a transaction, and `body` with each row until it says false. A database behind a network is
    /// asked for `size` rows at a time, so that those which nobody wants stay where they are.
    func forEachRow(
        of statement: SQLStatement, inPortionsOf size: Int, while body: (any SQLRow) throws -> Bool) throws

    /// Runs a statement for `count` sets of parameters.
    ///
    /// - Parameters:
    ///   - bind: Gives the parameters of a run: each of them, in order.
    ///   - done: Told how many rows a run changed, if the statement returns what tells that.
    func runEach(
        _ statement: SQLBulkStatement, count: Int, bind: (_ run: Int, _ parameters: any SQLBinder) -> Void,
        done: (_ run: Int, _ changedRows: Int) -> Void) throws

    /// Runs a statement for rows of a batch: the loop that saves spend their time in. No key is twice among the rows.
    ///
    /// - Parameters:
    ///   - positions: The rows; nil for all.
    ///   - done: Told the row, and how many rows of the table its run changed.
    func runEach(
        _ statement: SQLRowStatement, rows: RowBatch, positions: [Int]?, done: (_ row: Int, _ changedRows: Int) -> Void)
        throws

    /// Runs a query for rows of an entity, and appends them: the loop that fetches spend their time in.
    ///
    /// - Parameters:
    ///   - firstColumn: Where the row begins in the result: key, version, then its columns.
    ///   - isWanted: Asked before each row is appended, if given; it may read the result's other columns.
    func appendRows(
        of statement: SQLStatement, entity: ResolvedEntity, firstColumn: Int, to builder: inout RowBatchBuilder,
        where isWanted: ((any SQLRow) throws -> Bool)?) throws

    /// Runs a query for values, and appends a row for each row of its result, whose columns are those of `results`.
    /// Keys and versions of the rows are of no account.
    func appendValues(
        of statement: SQLStatement, results: ResolvedEntity, to builder: inout RowBatchBuilder) throws
}
