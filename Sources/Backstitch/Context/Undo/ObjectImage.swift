/// The values of a vanished object. They suffice to make it anew.
struct ObjectImage {
    private let values: [Value]
    private let transients: TransientValues?

    init(_ object: ManagedObject) throws {
        values = try (0..<object.entity.columnCount).map { try object.value(ofColumn: $0) }
        transients = object.transients
    }

    /// Turns a vanished object into a new one with its former values.
    func revive(_ object: ManagedObject) {
        let all = ObjectEdits.none(of: object.entity)
        for (column, value) in values.enumerated() { all.set(value, at: column) }
        object.edits = all
        object.transients = transients
        object.isNew = true
        object.state = .inserted
    }
}
