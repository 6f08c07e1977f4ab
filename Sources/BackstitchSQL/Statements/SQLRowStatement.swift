import Backstitch

/// A statement that runs for rows of a batch.
package struct SQLRowStatement: Hashable, Sendable {
    /// The statement with its placeholders.
    package let bulk: SQLBulkStatement
    /// The part of each row that is bound to each placeholder.
    package let parameters: [SQLRowParameter]
    /// The same statement for rows without conflicts, for databases that run it much quicker. If there is a conflict,
    /// it fails or writes fewer rows, and does not show the rows in conflict.
    package var unopposed: SQLBulkStatement?
    /// A stream of rows (``SQLDialect/copy(into:_:)``) with the same effect as ``unopposed``. For many rows it is
    /// quicker still. It has the key, version 1, and all cells.
    package var copy: String?
}
