/// A comparison of two expressions, the leaf of a predicate.
public struct FetchComparison: Sendable {
    /// How the two sides are compared.
    public enum Operator: String, Hashable, Sendable, Codable, CaseIterable {
        /// `==`; nil equals nil.
        case equal
        /// `!=`, the negation of `==`.
        case notEqual
        /// `<`
        case less
        /// `<=`
        case lessOrEqual
        /// `>`
        case greater
        /// `>=`
        case greaterOrEqual
        /// `BETWEEN {lower, upper}`, both included.
        case between
        /// `IN`: the left side equals an element of the right.
        case `in`
        /// `CONTAINS`: the left text contains the right, or the left to-many has the right as an element.
        case contains
        /// `BEGINSWITH`
        case beginsWith
        /// `ENDSWITH`
        case endsWith
        /// `LIKE`: `?` stands for one Unicode scalar, `*` for any number, a backslash takes the next one literally.
        case like
        /// `MATCHES`: the whole text matches a regular expression, see ``FetchPredicate``.
        case matches
    }

    /// How many elements of the left side's to-many must satisfy the comparison.
    public enum Quantifier: String, Hashable, Sendable, Codable {
        /// At least one: `ANY`, `SOME`.
        case any
        /// Each; true where there is none: `ALL`.
        case all
        /// Not one: `NONE`.
        case none
    }

    /// The left side.
    public let left: FetchExpression
    /// How it is compared.
    public let comparisonOperator: Operator
    /// The right side.
    public let right: FetchExpression
    /// How text is folded before.
    public let options: FetchTextOptions
    /// For a left side through a to-many: how many elements must satisfy it.
    public let quantifier: Quantifier?
    /// Its plan in a model, once it is resolved. Left out of comparisons for equality, and of what is encoded.
    package internal(set) var plan: ComparisonPlan?

    /// A comparison.
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
    /// Equal sides, operator, options and quantifier.
    public static func == (a: FetchComparison, b: FetchComparison) -> Bool {
        a.comparisonOperator == b.comparisonOperator && a.options == b.options && a.quantifier == b.quantifier
            && a.left == b.left && a.right == b.right
    }

    /// Consistent with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(comparisonOperator)
        hasher.combine(options)
        hasher.combine(quantifier)
        hasher.combine(left)
        hasher.combine(right)
    }
}
