/// The present value, or the present objects, of a changed property; see ``ManagedObject/changedValues``.
public enum ChangedValue: Sendable, Hashable {
    /// The value of an attribute, or the object of a to-one relationship.
    case value(Value)
    /// The objects of a to-many relationship.
    case objects(Set<ObjectID>)

    /// The value of an attribute or of a to-one relationship; nil for a to-many relationship.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The objects of a to-many relationship; nil for another property.
    public var objects: Set<ObjectID>? {
        if case .objects(let objects) = self { objects } else { nil }
    }
}
