/// The rule for a save when an object's stored row changed since it was read (optimistic locking).
///
/// Values that the saving context changed are called "mine". Stored values that differ from the values it had read are
/// called "theirs".
///
/// | policy | changed only by me | only by them | by both | deleted by them | deleted by me, changed by them |
/// |---|---|---|---|---|---|
/// | ``error`` | the save throws | throws | throws | throws | throws |
/// | ``mergeByPropertyObjectTrump`` | mine | theirs | mine | inserted again | deleted |
/// | ``mergeByPropertyStoreTrump`` | mine | theirs | theirs | stays deleted | stays, as theirs |
/// | ``overwrite`` | mine | mine (as I had read it) | mine | inserted again | deleted |
/// | ``rollback`` | theirs | theirs | theirs | stays deleted | stays, as theirs |
///
/// A context may merge changes made elsewhere while it has unsaved edits. It then shows its edits over these changes,
/// and counts the changes as read. A merged change of another property is therefore no conflict.
///
/// If an edited property was also changed elsewhere, the policy settles it at the next save: ``error`` throws,
/// ``mergeByPropertyStoreTrump`` takes theirs, ``rollback`` takes theirs for the whole object, and the other policies
/// write mine. The last two columns hold in the same way. An edited object that was deleted elsewhere stays, to be
/// inserted again. An object to be deleted here stays as it was read until the save settles it.
/// ``ManagedObjectContext/refresh(_:mergeChanges:)`` accepts theirs before the save.
///
/// An object that both sides deleted is gone, without a conflict once the context has merged the deletion. The view
/// context's policy is ``error`` unless it is set.
///
/// A parent context acts as the store of its children: a child's save compares with the parent's objects.
///
/// Two objects that a unique constraint forbids are settled as ``ConstraintConflict`` says.
///
/// Only objects in conflict are touched; the other objects of the save are written. The policy is for contexts of one
/// store. If a server and a device change an object at the same time, the sync store's policy settles it.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
    /// The save throws ``BackstitchError/Code/saveConflict`` with a fault for each object, and writes nothing.
    case error
    /// Property by property. If both changed the same property, mine is kept.
    case mergeByPropertyObjectTrump
    /// Property by property. If both changed the same property, theirs is kept.
    case mergeByPropertyStoreTrump
    /// The whole object, as this context has it.
    case overwrite
    /// The whole object, as the store has it.
    case rollback
}
