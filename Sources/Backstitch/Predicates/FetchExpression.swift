/// One side of a comparison: a constant, a list, a path, a variable, or a count.
public enum FetchExpression: Hashable, Sendable {
    /// A constant.
    case value(Value)
    /// Several expressions, for `IN` and `BETWEEN`.
    case list([FetchExpression])
    /// The value or object at the end of a path.
    case keyPath(FetchKeyPath)
    /// A `$VARIABLE`, to be substituted, or the element of an enclosing `SUBQUERY`.
    case variable(String)
    /// How many objects a to-many relationship leads to: `tags.@count`.
    case count(FetchKeyPath)
    /// How many of them satisfy a predicate: `SUBQUERY(tags, $tag, $tag.name == "x").@count`.
    indirect case subqueryCount(FetchSubquery)

    /// A constant list.
    public static func values(_ values: some Sequence<Value>) -> FetchExpression {
        .list(values.map(FetchExpression.value))
    }
}

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
