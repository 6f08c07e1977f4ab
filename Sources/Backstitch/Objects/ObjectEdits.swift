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
        values = ContiguousArray(entity.defaults)
        changed = PropertySet(0..<entity.columnCount)
    }

    subscript(column: Int) -> Value? {
        changed.contains(column) ? values[column] : nil
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
