/// An object for a predicate: a managed object, or a row of a store.
public protocol PredicateSubject {
    /// The identity of the object.
    var objectID: ObjectID { get }

    /// Returns the value of an attribute, or a to-one relationship's destination as ``Value/object(_:)`` or
    /// ``Value/null``.
    func predicateValue(_ property: ResolvedProperty) throws -> Value

    /// Returns the destinations of a relationship: none or one for a to-one, any number for a to-many, each once.
    func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject]
}
