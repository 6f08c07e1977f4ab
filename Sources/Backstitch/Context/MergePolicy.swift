/// The policy by which a save settles an object whose stored row changed since it was read (optimistic locking).
///
/// "Mine" are the values that the saving context changed, "theirs" those that differ in the store from what it had
/// read.
///
/// | policy | changed only by me | only by them | by both | deleted by them | deleted by me, changed by them |
/// |---|---|---|---|---|---|
/// | ``error`` | the save throws | throws | throws | throws | throws |
/// | ``mergeByPropertyObjectTrump`` | mine | theirs | mine | inserted again | deleted |
/// | ``mergeByPropertyStoreTrump`` | mine | theirs | theirs | stays deleted | stays, as theirs |
/// | ``overwrite`` | mine | mine (as I had read it) | mine | inserted again | deleted |
/// | ``rollback`` | theirs | theirs | theirs | stays deleted | stays, as theirs |
///
/// A context that takes in others' changes while it has unsaved edits shows the edits over them, and has read those
/// changes then: one of another property is no conflict. An edit of a property that others have changed too is
/// settled by the policy at the next save: ``error`` throws, ``mergeByPropertyStoreTrump`` takes theirs, ``rollback``
/// takes theirs for the whole object, and the others write mine. The last two columns hold in the same way: an edited
/// object that others have deleted stays, as one to be inserted again, and one that is to be deleted stays as it was
/// read, until the save settles it. ``ManagedObjectContext/refresh(_:mergeChanges:)`` takes note of theirs before. An
/// object that both have deleted is gone, without a conflict once the context has merged it. The view context's
/// policy is ``error`` unless it is set.
///
/// A parent context is to its children what a store is to a context: a child's save compares with the parent's objects.
///
/// Two objects that a unique constraint forbids are settled as ``ConstraintConflict`` says.
///
/// Only objects in conflict are touched; the others of the save go through. This is about contexts of one store; what a
/// server and a device changed at once is settled by the sync store's policy.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
    /// The save throws ``BackstitchError/Code/saveConflict`` with a fault an object, and writes nothing.
    case error
    /// Property by property; where both changed one, mine.
    case mergeByPropertyObjectTrump
    /// Property by property; where both changed one, theirs.
    case mergeByPropertyStoreTrump
    /// The whole object as I have it.
    case overwrite
    /// The whole object as they have it.
    case rollback
}
