import Foundation

/// The first edits of an entity's objects. They are copied whole for each object.
struct CellTemplate: Sendable {
    /// A bit for each column with a value here, a bit for each null column, and the cells of the columns; see
    /// ``ObjectEdits``.
    let words: ContiguousArray<UInt64>
    /// The values that are no numbers; empty if all are null. All objects share them until one is set.
    let others: ContiguousArray<Value>
}
