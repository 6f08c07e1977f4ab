import Foundation

/// The values and the row beneath the edits of an object.
struct MergedBase {
    /// The values of edited columns from before changes made elsewhere were merged beneath them.
    var values: [Int: Value] = [:]
    /// The row that was last read.
    var row: RowSnapshot
}
