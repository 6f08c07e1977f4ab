/// Something that was done in a context, with what it takes to undo it.
enum UndoAction {
    /// A column was set; it held this value.
    case column(ManagedObject, Int, old: Value)
    /// A transient attribute was set; it had this value.
    case transient(ManagedObject, ResolvedProperty, old: Value)
    /// A key was put into a collection.
    case linked(ObjectKey, LinkEnd)
    /// A key was taken out of a collection.
    case unlinked(ObjectKey, LinkEnd)
    /// An object was inserted, or a deletion taken back.
    case inserted(ManagedObject)
    /// An object was deleted, or an insertion taken back; it had these values.
    case deleted(ManagedObject, ObjectImage)
}

/// The values from which an object that is gone can be made anew.
struct ObjectImage {
    private let values: [Value]
    private let transients: TransientValues?

    init(_ object: ManagedObject) throws {
        values = try (0..<object.entity.columnCount).map { try object.value(ofColumn: $0) }
        transients = object.transients
    }

    /// Makes a vanished object a new one as it was.
    func revive(_ object: ManagedObject) {
        let all = ObjectEdits.none(of: object.entity)
        for (column, value) in values.enumerated() { all.set(value, at: column) }
        object.edits = all
        object.transients = transients
        object.isNew = true
        object.state = .inserted
    }
}
