import Backstitch

extension FetchPredicate {
    /// Joins two predicates by AND. Parts that are always true are dropped, and chains become one list.
    static func both(_ left: FetchPredicate, _ right: FetchPredicate) -> FetchPredicate {
        switch (left, right) {
        case (.constant(let value), let other), (let other, .constant(let value)): value ? other : .constant(false)
        case (.and(let left), .and(let right)): .and(left + right)
        case (.and(let parts), _): .and(parts + [right])
        case (_, .and(let parts)): .and([left] + parts)
        default: .and([left, right])
        }
    }

    /// Joins two predicates by OR. Parts that are always false are dropped, and chains become one list.
    static func either(_ left: FetchPredicate, _ right: FetchPredicate) -> FetchPredicate {
        switch (left, right) {
        case (.constant(let value), let other), (let other, .constant(let value)): value ? .constant(true) : other
        case (.or(let left), .or(let right)): .or(left + right)
        case (.or(let parts), _): .or(parts + [right])
        case (_, .or(let parts)): .or([left] + parts)
        default: .or([left, right])
        }
    }

    /// Negates a predicate; `==` becomes `!=`, and `!=` becomes `==`.
    static func opposite(of predicate: FetchPredicate) -> FetchPredicate {
        switch predicate {
        case .constant(let value): .constant(!value)
        case .not(let part): part
        case .comparison(let equality) where equality.comparisonOperator == .equal && equality.quantifier == nil:
            compare(equality.left, .notEqual, equality.right, options: equality.options)
        case .comparison(let equality) where equality.comparisonOperator == .notEqual && equality.quantifier == nil:
            compare(equality.left, .equal, equality.right, options: equality.options)
        default: .not(predicate)
        }
    }

    /// Makes a comparison. A constant goes to the right side, if the operator allows the exchange.
    static func compare(
        _ left: FetchExpression, _ comparison: FetchComparison.Operator, _ right: FetchExpression,
        options: FetchTextOptions = []
    ) -> FetchPredicate {
        if left.isConstant, !right.isConstant, let exchanged = comparison.exchanged {
            return .comparison(FetchComparison(right, exchanged, left, options: options))
        }
        return .comparison(FetchComparison(left, comparison, right, options: options))
    }

    /// The predicate that an expression has a value.
    static func isPresent(_ expression: FetchExpression) -> FetchPredicate {
        switch expression {
        case .value(let value): .constant(!value.isNull)
        case .keyPath(let path) where path.names.isEmpty: .constant(true)
        case .keyPath: .compare(expression, .notEqual, .value(.null))
        case .list, .count, .subqueryCount, .variable: .constant(true)
        }
    }
}

extension FetchExpression {
    fileprivate var isConstant: Bool {
        if case .value = self { true } else { false }
    }
}

extension FetchComparison.Operator {
    /// The operator of the same meaning for exchanged sides; nil if there is none.
    fileprivate var exchanged: FetchComparison.Operator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }
}
