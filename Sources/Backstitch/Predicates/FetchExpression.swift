/// One side of a comparison: a constant, a list, a path, a variable, or a count.
public enum FetchExpression: Hashable, Sendable {
    /// A constant value, nil included.
    case value(Value)
    /// Several expressions, for `IN` and `BETWEEN`.
    case list([FetchExpression])
    /// The value or object at the end of a path.
    case keyPath(FetchKeyPath)
    /// A `$VARIABLE` to be substituted, or the element of an enclosing `SUBQUERY`.
    case variable(String)
    /// The number of objects of a to-many relationship: `tags.@count`.
    case count(FetchKeyPath)
    /// The number of its objects that satisfy a predicate: `SUBQUERY(tags, $tag, $tag.name == "x").@count`.
    indirect case subqueryCount(FetchSubquery)

    /// Makes a list of constants.
    public static func values(_ values: some Sequence<Value>) -> FetchExpression {
        .list(values.map(FetchExpression.value))
    }
}
