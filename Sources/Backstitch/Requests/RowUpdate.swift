import Foundation

/// Changed rows of one entity. The three lists have the same length and order.
public struct RowUpdate: Sendable {
    /// The rows with their new values. Their `versions` are the versions at the time of reading. The store writes each
    /// version plus one, and only if the stored version is still the same.
    public let rows: RowBatch
    /// The rows as they were read.
    public let originals: RowBatch
    /// The changed columns of each row.
    public let changed: [PropertySet]

    /// Makes an update from `originals` to `rows`.
    public init(rows: RowBatch, originals: RowBatch, changed: [PropertySet]) {
        self.rows = rows
        self.originals = originals
        self.changed = changed
    }
}
