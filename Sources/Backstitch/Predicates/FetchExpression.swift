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
