/// A copy of an object for another store, and what it lacks.
public struct ObjectCopy<Object: ManagedObject> {
    /// The copy: a new object, or the one that has the same unique values there.
    public let object: Object
    /// The objects to which the original has links and the copy has none, by relationship: those that are not in the
    /// store, or have no unique values by which they would be known there.
    public let omittedLinks: [String: [ObjectID]]
}
