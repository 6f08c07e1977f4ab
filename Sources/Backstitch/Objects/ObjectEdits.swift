/// The values of an object that differ from its row.
final class ObjectEdits {
    /// The columns that have a value here.
    var changed = PropertySet()
    /// The values by column; defined where `changed`.
    private var values: ContiguousArray<Value>

    /// No edits of an object of `entity`.
    init(of entity: ResolvedEntity) {
        values = ContiguousArray(repeating: .null, count: entity.columnCount)
    }

    /// The edits of a new object: its defaults.
    init(defaultsOf entity: ResolvedEntity) {
        values = entity.defaultCells
        changed = entity.allColumns
    }

    subscript(column: Int) -> Value? {
        changed.contains(column) ? values[column] : nil
    }

    /// Appends a cell for each column, as of a new object.
    func appendAll(to builder: inout RowBatchBuilder) {
        for column in values.indices {
            if changed.contains(column) { builder.append(values[column]) } else { builder.appendNull() }
        }
    }

    func set(_ value: Value, at column: Int) {
        values[column] = value
        changed.insert(column)
    }

    func drop(_ column: Int) {
        values[column] = .null
        changed.remove(column)
    }
}
