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
