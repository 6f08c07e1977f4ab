/// Which objects a fetch wants: a tree of comparisons, as a value.
///
/// ```swift
/// try FetchPredicate(format: "title CONTAINS[cd] %@ AND ANY tags.name IN %@", "thread", ["craft"])
/// Key<String>("title").contains("thread", .caseInsensitive) && Key<Int>("size") > 3
/// ```
///
/// A predicate means the same for objects in memory and in every store:
/// - **Nil.** There are two truth values. `nil == nil` is true, and `!=` is the exact negation of `==`, so objects
///   without a value satisfy `x != 5`. Every other comparison with nil is false, and `NOT` is plain negation: `NOT x <
///   5` holds where x is nil. `IN` finds nil if the list has it. A path through a to-one relationship that leads
///   nowhere gives nil. NaN counts as nil.
/// - **To-many.** `ANY` is false, `ALL` and `NONE` are true where there are no elements. A path through several to-many
///   relationships runs over all their elements. `tags CONTAINS %@` and `x IN tags.name` ask whether any element
///   equals. Links count only to objects that are there.
/// - **Objects** equal each other by identity. A to-one relationship is the identity that is stored, even of an object
///   that is gone.
/// - **Text** compares by its UTF-8 bytes, so composed and decomposed forms differ; with `[c]`, `[d]` both sides are
///   folded first, see ``FetchTextOptions``. `LIKE` and `CONTAINS` look at Unicode scalars. URIs are text. Text with
///   U+0000 is refused.
/// - **`LIKE`**: `?` is one scalar, `*` any number, a backslash takes the next one literally; the whole text must
///   match.
/// - **`MATCHES`**: the whole text must match a regular expression of the common syntax: characters, `.`, `[a-z]`,
///   `[^a-z]`, `\d \w \s \D \W \S` (of ASCII), `( )`, `(?: )`, `|`, `* + ? {n,m}`. `.` is any scalar but the end of a
///   line. Back references, look-around, `\b`, `\p` and flags are refused. No pattern takes longer than its size for
///   each scalar.
/// - **Numbers** compare exactly across integers, doubles and decimals, but for a double with a decimal: the double
///   counts as the shortest decimal that is read back as it, and a constant decimal compared with a double as the
///   nearest double. `-0.0` equals `0.0`. A constant for a `float` attribute is rounded to its precision. Booleans are
///   no numbers, but compare with the constants 0 and 1.
/// - **Unlike types.** A value never equals one of another type: `name == 5` finds nothing where name is a text, its
///   negation `name != 5` everything, and in the list of an `IN` such a constant counts for nothing. Objects of
///   unrelated entities are unlike as well. Two paths of unlike types are equal where both are nil. An order between
///   unlike types is refused, and so is an operator of texts on anything else.
/// - **Dates** are rounded to milliseconds. **UUIDs** are ordered by their bytes. Booleans, bytes and objects have no
///   order. Bytes outside the row (external storage) compare with nil only.
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
    indirect case comparison(FetchComparison)
}

extension FetchPredicate {
    /// How deep a predicate may be nested: parentheses, `NOT`, and alternating `AND` and `OR`. Chains of one operator
    /// count once.
    public static let maximumDepth = 64
}
