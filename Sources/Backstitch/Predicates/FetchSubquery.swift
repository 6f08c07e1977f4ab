/// The objects of a to-many relationship that satisfy a predicate.
public struct FetchSubquery: Hashable, Sendable {
    /// The to-many relationship.
    public let collection: FetchKeyPath
    /// Name of the variable that stands for each of its objects, without `$`.
    public let variable: String
    /// The predicate that they must satisfy. Paths in it begin at the outer object, or at a variable.
    public let predicate: FetchPredicate

    /// The objects of `collection`, each called `variable`, that satisfy `predicate`.
    public init(_ collection: FetchKeyPath, variable: String, where predicate: FetchPredicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
