/// The condition for the objects of a fetch: a tree of comparisons, as a value.
///
/// ```swift
/// try FetchPredicate(format: "title CONTAINS[cd] %@ AND ANY tags.name IN %@", "thread", ["craft"])
/// Key<String>("title").contains("thread", .caseInsensitive) && Key<Int>("size") > 3
/// ```
///
/// A predicate means the same for objects in memory and in every store:
/// - **Nil.** There are two truth values. `nil == nil` is true, and `!=` is the exact negation of `==`, so objects
///   without a value satisfy `x != 5`. Every other comparison with nil is false. `NOT` is plain negation: `NOT x < 5`
///   is true if x is nil. `IN` finds nil if the list has it. A path through an empty to-one relationship gives nil. NaN
///   counts as nil.
/// - **To-many.** Without elements, `ANY` is false, and `ALL` and `NONE` are true. A path through several to-many
///   relationships covers all their elements. `tags CONTAINS %@` and `x IN tags.name` are true if any element is equal.
///   Links count only to existing objects.
/// - **Objects** are equal by identity. A to-one relationship is its stored identity, even if that object is deleted.
/// - **Text** is compared by its UTF-8 bytes, so composed and decomposed forms differ. With `[c]`, `[d]` both sides are
///   folded first, see ``FetchTextOptions``. `LIKE` and `CONTAINS` look at Unicode scalars. URIs are text. Text with
///   U+0000 is refused.
/// - **`LIKE`**: `?` is one scalar, `*` any number; a backslash makes the next scalar literal. The whole text must
///   match.
/// - **`MATCHES`**: the whole text must match a regular expression of the common syntax: characters, `.`, `[a-z]`,
///   `[^a-z]`, `\d \w \s \D \W \S` (of ASCII), `( )`, `(?: )`, `|`, `* + ? {n,m}`. `.` is any scalar except the end of
///   a line. Back references, look-around, `\b`, `\p` and flags are refused. The time for each scalar is at most
///   proportional to the size of the pattern.
/// - **Numbers** are compared exactly across integers, doubles and decimals, except a double with a decimal. Then the
///   double counts as the shortest decimal that reads back as the same double. A constant decimal compared with a
///   double counts as the nearest double. `-0.0` equals `0.0`. A constant for a `float` attribute is rounded to its
///   precision. Booleans are no numbers, but can be compared with the constants 0 and 1.
/// - **Unlike types.** A value never equals one of another type. If name is a text, `name == 5` finds nothing, and
///   `name != 5` finds everything; in the list of an `IN` such a constant has no effect. Objects of unrelated entities
///   are unlike as well. Two paths of unlike types are equal if both are nil. An order between unlike types is refused,
///   and so is a text operator on any other type.
/// - **Dates** are rounded to milliseconds. **UUIDs** are ordered by their bytes. Booleans, bytes and objects have no
///   order. Bytes outside the row (external storage) can only be compared with nil.
public enum FetchPredicate: Hashable, Sendable {
    /// True or false for every object: `TRUEPREDICATE`, `FALSEPREDICATE`.
    case constant(Bool)
    /// True if all parts are true, or if there are none.
    case and([FetchPredicate])
    /// True if at least one part is true; false if there are none.
    case or([FetchPredicate])
    /// True if the part is false.
    indirect case not(FetchPredicate)
    /// A comparison of two expressions.
    indirect case comparison(FetchComparison)
}

extension FetchPredicate {
    /// The deepest allowed nesting of parentheses, `NOT`, and alternating `AND` and `OR`. A chain of one operator
    /// counts once.
    public static let maximumDepth = 64
}

extension FetchPredicate {
    /// Parses a predicate in the format language of NSPredicate.
    ///
    /// ```swift
    /// try FetchPredicate(format: "title CONTAINS[cd] %@ AND size > %d", "thread", 3)
    /// ```
    /// - `%@` takes any ``PredicateArgument``, `%K` a key path as a `String`, `%d %i %u %ld %lld %lu` an integer, `%f`
    ///   a `Double`, `Float` or `Decimal`. ``substituting(variables:)`` fills `$NAME`. Inside quotes `%%` is a percent
    ///   sign, and nothing else is replaced.
    /// - Comparisons: `= == != <> < <= =< > >= =>`, `BETWEEN {a, b}`, `IN {a, b}`, `CONTAINS BEGINSWITH ENDSWITH LIKE
    ///   MATCHES`, each with `[c] [d] [cd] [n]`; `ANY SOME ALL NONE` before a path through a to-many relationship.
    /// - `tags.@count`, `SUBQUERY(tags, $t, $t.name == 'x').@count`, `SELF`, `TRUE FALSE YES NO NULL NIL`,
    ///   `TRUEPREDICATE FALSEPREDICATE`; `AND && OR || NOT !` and parentheses. Keywords may be in lower case; `#name`
    ///   is a property named like a keyword.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate``, with a caret under the place. Either the format does not
    ///   parse or nests deeper than ``maximumDepth``, or the arguments do not fit in number or kind.
    public init(format: String, _ arguments: (any PredicateArgument)?...) throws {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses a predicate in the format language, with its arguments in an array.
    ///
    /// - Throws: As ``init(format:_:)``.
    public init(format: String, arguments: [(any PredicateArgument)?]) throws {
        var parser = try FormatParser(format, arguments)
        self = try parser.parse()
    }
}

extension FetchPredicate {
    /// Evaluates the predicate for an object. It must be resolved for the object's entity.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` if it is not resolved, and errors of reading the object's
    ///   values.
    public func evaluate(_ subject: some PredicateSubject) throws -> Bool {
        try PredicateEvaluator(subject).evaluate(self)
    }
}
