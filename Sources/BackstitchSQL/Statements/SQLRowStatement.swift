import Backstitch

/// A statement that is run for rows of a batch.
package struct SQLRowStatement: Hashable, Sendable {
    /// The statement.
    package let bulk: SQLBulkStatement
    /// The part of each row that each placeholder takes.
    package let parameters: [SQLRowParameter]
    /// The same for rows of which none is in conflict, for databases in which it is much quicker: it fails, or writes
    /// fewer rows, if one is, and does not tell which.
    package var unopposed: SQLBulkStatement?
    /// A stream of rows (``SQLDialect/copy(into:_:)``) that does the same as ``unopposed``, and is quicker still for
    /// many: key, version 1, and all cells.
    package var copy: String?
}
