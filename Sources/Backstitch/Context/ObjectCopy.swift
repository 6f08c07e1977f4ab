/// A copy of an object for another store, and the links it lacks.
public struct ObjectCopy<Object: ManagedObject> {
    /// The copy: a new object, or the existing object with the same unique values in that store.
    public let object: Object
    /// The objects that the original is linked to and the copy is not, by relationship. They are not in the store, or
    /// have no unique values to identify them there.
    public let omittedLinks: [String: [ObjectID]]
}
