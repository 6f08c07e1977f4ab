/// A key path with the type of its values, for predicates checked by the compiler.
///
/// ```swift
/// Key<String>("title") == "Thread" && Key<Int>("size") > 3
/// Key<String>("folder.name").beginsWith("H", .caseInsensitive)
/// Key<String>("tags.name").any == "craft"
/// Key<ObjectID>("tags").contains(tag.objectID)
/// !Key<UUID>("serial").isIn(serials)
/// ```
/// Names are checked when the predicate is resolved in a model: see ``FetchPredicate/resolved(for:in:)``.
public struct Key<Argument: PredicateArgument>: Sendable {
    /// The path of property names.
    public let keyPath: FetchKeyPath
    /// The number of elements of a to-many that must satisfy a comparison; nil for a single value.
    public let quantifier: FetchComparison.Quantifier?
    private let isCount: Bool

    /// Parses a key path: `folder.name`, `SELF`, `$tag.name`, `tags.@count`.
    public init(_ keyPath: String) {
        let path = FetchKeyPath(keyPath)
        isCount = path.names.last == "@count"
        self.keyPath = isCount ? FetchKeyPath(root: path.root, names: path.names.dropLast()) : path
        quantifier = nil
    }

    private init(_ key: Key, _ quantifier: FetchComparison.Quantifier) {
        keyPath = key.keyPath
        isCount = key.isCount
        self.quantifier = quantifier
    }

    /// True if at least one element satisfies the comparison that follows.
    public var any: Key { Key(self, .any) }
    /// True if every element satisfies the comparison that follows.
    public var all: Key { Key(self, .all) }
    /// True if no element satisfies the comparison that follows.
    public var none: Key { Key(self, .none) }

    /// The key as an expression.
    public var expression: FetchExpression { isCount ? .count(keyPath) : .keyPath(keyPath) }

    func compared(
        _ comparisonOperator: FetchComparison.Operator, _ right: FetchExpression, _ options: FetchTextOptions = []
    ) -> FetchPredicate {
        .comparison(FetchComparison(expression, comparisonOperator, right, options: options, quantifier: quantifier))
    }
}

extension Key {
    /// True if the value is equal, with text folded by the options.
    public func equals(_ value: Argument?, _ options: FetchTextOptions) -> FetchPredicate {
        compared(.equal, value.predicateExpression, options)
    }

    /// True if the value is one of these.
    public func isIn(_ values: some Sequence<Argument>, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.in, .list(values.map(\.predicateExpression)), options)
    }

    /// True if the value is one of these; a missing value matches nil.
    public func isIn(_ values: some Sequence<Argument?>, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.in, .list(values.map(\.predicateExpression)), options)
    }

    /// True if the to-many has this element.
    public func contains(_ element: Argument) -> FetchPredicate { compared(.contains, element.predicateExpression) }
}

extension Key where Argument: Comparable {
    /// True if the value is in the range, bounds included.
    public func isBetween(_ range: ClosedRange<Argument>) -> FetchPredicate {
        compared(.between, .list([range.lowerBound.predicateExpression, range.upperBound.predicateExpression]))
    }
}

extension Key where Argument == String {
    /// True if the text contains another text.
    public func contains(_ text: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.contains, .value(.string(text)), options)
    }

    /// True if the text begins with another text.
    public func beginsWith(_ text: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.beginsWith, .value(.string(text)), options)
    }

    /// True if the text ends with another text.
    public func endsWith(_ text: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.endsWith, .value(.string(text)), options)
    }

    /// True if the whole text matches a pattern with `?` and `*`.
    public func like(_ pattern: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.like, .value(.string(pattern)), options)
    }

    /// True if the whole text matches a regular expression.
    public func matches(_ pattern: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.matches, .value(.string(pattern)), options)
    }
}
