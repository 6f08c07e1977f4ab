/// A thing that a predicate can be asked about: a managed object, or a row of a store.
public protocol PredicateSubject {
    /// Its identity.
    var objectID: ObjectID { get }

    /// The value of an attribute, or a to-one relationship's destination as ``Value/object(_:)`` or ``Value/null``.
    func predicateValue(_ property: ResolvedProperty) throws -> Value

    /// The objects that a relationship leads to: none or one for a to-one, any number for a to-many, each once.
    func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject]
}
