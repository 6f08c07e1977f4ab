/// The objects of a to-many relationship that satisfy a predicate.
public struct FetchSubquery: Hashable, Sendable {
    /// The path to the to-many relationship.
    public let collection: FetchKeyPath
    /// The name of the variable for the current object, without `$`.
    public let variable: String
    /// The predicate on the current object. Paths in it begin at the outer object, or at a variable.
    public let predicate: FetchPredicate

    /// Selects the objects of `collection` that satisfy `predicate`; in it each one is called `variable`.
    public init(_ collection: FetchKeyPath, variable: String, where predicate: FetchPredicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
