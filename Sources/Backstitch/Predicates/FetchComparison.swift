/// A comparison of two expressions, the leaf of a predicate.
public struct FetchComparison: Sendable {
    /// The operators of a comparison.
    public enum Operator: String, Hashable, Sendable, Codable, CaseIterable {
        /// `==`; nil equals nil, in this comparison.
        case equal
        /// `!=`, the exact negation of `==`.
        case notEqual
        /// `<`: less than the right side.
        case less
        /// `<=`: less than the right side, or equal.
        case lessOrEqual
        /// `>`: greater than the right side.
        case greater
        /// `>=`: greater than the right side, or equal.
        case greaterOrEqual
        /// `BETWEEN {lower, upper}`: within the bounds, both included.
        case between
        /// `IN`: the left side equals an element of the right.
        case `in`
        /// `CONTAINS`: the left text contains the right, or the left to-many has the right as an element.
        case contains
        /// `BEGINSWITH`: the left text begins with the right.
        case beginsWith
        /// `ENDSWITH`: the left text ends with the right.
        case endsWith
        /// `LIKE`: `?` matches one Unicode scalar, `*` any number of them; a backslash makes the next scalar literal.
        case like
        /// `MATCHES`: the whole text matches a regular expression, see ``FetchPredicate``.
        case matches
    }

    /// The number of elements of the left side's to-many that must satisfy the comparison.
    public enum Quantifier: String, Hashable, Sendable, Codable {
        /// At least one element: `ANY`, `SOME`.
        case any
        /// Every element: `ALL`. True if there are no elements.
        case all
        /// No element at all: `NONE`.
        case none
    }

    /// The expression on the left side.
    public let left: FetchExpression
    /// The operator between the two sides.
    public let comparisonOperator: Operator
    /// The expression on the right side.
    public let right: FetchExpression
    /// The folding of text before the comparison.
    public let options: FetchTextOptions
    /// The quantifier for a left side through a to-many; nil for a single value.
    public let quantifier: Quantifier?
    /// The plan of the comparison in a model, after its resolution. Equality and coding ignore it.
    package internal(set) var plan: ComparisonPlan?

    /// Makes a comparison of two expressions.
    public init(
        _ left: FetchExpression, _ comparisonOperator: Operator, _ right: FetchExpression,
        options: FetchTextOptions = [], quantifier: Quantifier? = nil
    ) {
        self.left = left
        self.comparisonOperator = comparisonOperator
        self.right = right
        self.options = options
        self.quantifier = quantifier
    }
}

extension FetchComparison: Hashable {
    /// Compares sides, operator, options and quantifier.
    public static func == (a: FetchComparison, b: FetchComparison) -> Bool {
        a.comparisonOperator == b.comparisonOperator && a.options == b.options && a.quantifier == b.quantifier
            && a.left == b.left && a.right == b.right
    }

    /// Hashes consistently with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(comparisonOperator)
        hasher.combine(options)
        hasher.combine(quantifier)
        hasher.combine(left)
        hasher.combine(right)
    }
}
