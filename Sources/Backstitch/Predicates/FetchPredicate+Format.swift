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
