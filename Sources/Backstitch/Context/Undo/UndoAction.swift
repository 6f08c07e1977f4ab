/// An action in a context, with the data that undoing it needs.
enum UndoAction {
    /// A column was set. It had the value `old`.
    case column(ManagedObject, Int, old: Value)
    /// A transient attribute was set. It had the value `old`.
    case transient(ManagedObject, ResolvedProperty, old: Value)
    /// A key was added to a collection.
    case linked(ObjectKey, LinkEnd)
    /// A key was removed from a collection.
    case unlinked(ObjectKey, LinkEnd)
    /// An object was inserted, or a deletion taken back.
    case inserted(ManagedObject)
    /// An object was deleted, or an insertion taken back. The image has the object's values.
    case deleted(ManagedObject, ObjectImage)
}
