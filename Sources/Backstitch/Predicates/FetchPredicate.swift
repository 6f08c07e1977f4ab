/// Which objects a fetch wants: a tree of comparisons, as a value.
///
/// ```swift
/// try FetchPredicate(format: "title CONTAINS[cd] %@ AND ANY tags.name IN %@", "thread", ["craft"])
/// Key<String>("title").contains("thread", .caseInsensitive) && Key<Int>("size") > 3
/// ```
public enum FetchPredicate: Hashable, Sendable {
    /// True or false for every object: `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)
    /// All of them; true if there are none.
    case and([FetchPredicate])
    /// At least one of them; false if there are none.
    case or([FetchPredicate])
    /// Plain negation.
    indirect case not(FetchPredicate)
    /// A comparison.
    case comparison(FetchComparison)
}

extension FetchPredicate {
    /// How deep a predicate may be nested: parentheses, `NOT`, and alternating `AND` and `OR`. Chains of one operator count once.
    public static let maximumDepth = 64
}
