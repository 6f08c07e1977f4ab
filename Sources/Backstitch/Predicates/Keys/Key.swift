/// A key path with the type of its values, to write predicates that the compiler checks.
///
/// ```swift
/// Key<String>("title") == "Thread" && Key<Int>("size") > 3
/// Key<String>("folder.name").beginsWith("H", .caseInsensitive)
/// Key<String>("tags.name").any == "craft"
/// Key<ObjectID>("tags").contains(tag.objectID)
/// !Key<UUID>("serial").isIn(serials)
/// ```
/// Names are checked when the predicate meets a model: see ``FetchPredicate/resolved(for:in:)``.
public struct Key<Argument: PredicateArgument>: Sendable {
    /// The path.
    public let keyPath: FetchKeyPath
    /// How many elements of a to-many must satisfy a comparison.
    public let quantifier: FetchComparison.Quantifier?
    private let isCount: Bool

    /// The key path that a text spells: `folder.name`, `SELF`, `$tag.name`, `tags.@count`.
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

    /// Asks whether at least one element satisfies what follows.
    public var any: Key { Key(self, .any) }
    /// Asks whether each element satisfies what follows.
    public var all: Key { Key(self, .all) }
    /// Asks whether no element satisfies what follows.
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
    /// The value equals, text after folding.
    public func equals(_ value: Argument?, _ options: FetchTextOptions) -> FetchPredicate {
        compared(.equal, value.predicateExpression, options)
    }

    /// The value is one of these.
    public func isIn(_ values: some Sequence<Argument>, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.in, .list(values.map(\.predicateExpression)), options)
    }

    /// The value is one of these, or there is none and nil is one of them.
    public func isIn(_ values: some Sequence<Argument?>, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.in, .list(values.map(\.predicateExpression)), options)
    }

    /// The to-many has this element.
    public func contains(_ element: Argument) -> FetchPredicate { compared(.contains, element.predicateExpression) }
}

extension Key where Argument: Comparable {
    /// The value lies in the range, its bounds included.
    public func isBetween(_ range: ClosedRange<Argument>) -> FetchPredicate {
        compared(.between, .list([range.lowerBound.predicateExpression, range.upperBound.predicateExpression]))
    }
}

extension Key where Argument == String {
    /// The text contains another.
    public func contains(_ text: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.contains, .value(.string(text)), options)
    }

    /// The text begins with another.
    public func beginsWith(_ text: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.beginsWith, .value(.string(text)), options)
    }

    /// The text ends with another.
    public func endsWith(_ text: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.endsWith, .value(.string(text)), options)
    }

    /// The whole text matches a pattern with `?` and `*`.
    public func like(_ pattern: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.like, .value(.string(pattern)), options)
    }

    /// The whole text matches a regular expression.
    public func matches(_ pattern: String, _ options: FetchTextOptions = []) -> FetchPredicate {
        compared(.matches, .value(.string(pattern)), options)
    }
}
