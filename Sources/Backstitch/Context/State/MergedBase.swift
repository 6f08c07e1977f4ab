import Foundation

/// The values and the row that lie beneath the edits of an object.
struct MergedBase {
    /// Of columns that were edited before others' changes were merged beneath them, the values from before.
    var values: [Int: Value] = [:]
    /// The row that was last read.
    var row: RowSnapshot
}
