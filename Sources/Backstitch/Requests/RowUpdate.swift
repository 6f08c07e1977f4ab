import Foundation

/// Changed rows of one entity. The three lists run in step.
public struct RowUpdate: Sendable {
    /// The rows as they shall be. `versions` are those at which they were read; the store writes them plus one, and
    /// only where the stored version is still the same.
    public let rows: RowBatch
    /// The rows as they were read.
    public let originals: RowBatch
    /// The columns that differ.
    public let changed: [PropertySet]

    /// An update from `originals` to `rows`.
    public init(rows: RowBatch, originals: RowBatch, changed: [PropertySet]) {
        self.rows = rows
        self.originals = originals
        self.changed = changed
    }
}
