extension FetchPredicate {
    /// Replaces `$VARIABLES` by constants; their names are given without `$`.
    ///
    /// The variable of a `SUBQUERY` belongs to it and is not replaced.
    ///
    /// - Throws: ``BackstitchError/Code/invalidPredicate`` with the names of variables without a value in `variables`.
    public func substituting(variables: [String: (any PredicateArgument)?]) throws -> FetchPredicate {
        var substitution = VariableSubstitution(
            values: variables.mapValues { $0?.predicateExpression ?? .value(.null) })
        let result = substitution.predicate(self)
        guard substitution.missing.isEmpty else {
            let names = substitution.missing.sorted().map { "$\($0)" }.joined(separator: ", ")
            throw BackstitchError(.invalidPredicate, "the predicate's variables \(names) have no value: \(self)")
        }
        return result
    }
}

private struct VariableSubstitution {
    let values: [String: FetchExpression]
    var missing: Set<String> = []
    private var bound: [String] = []

    init(values: [String: FetchExpression]) { self.values = values }

    mutating func predicate(_ predicate: FetchPredicate) -> FetchPredicate {
        switch predicate {
        case .constant: return predicate
        case .and(let parts): return .and(parts.map { self.predicate($0) })
        case .or(let parts): return .or(parts.map { self.predicate($0) })
        case .not(let part): return .not(self.predicate(part))
        case .comparison(let comparison):
            return .comparison(
                FetchComparison(
                    expression(comparison.left), comparison.comparisonOperator, expression(comparison.right),
                    options: comparison.options, quantifier: comparison.quantifier))
        }
    }

    private mutating func expression(_ expression: FetchExpression) -> FetchExpression {
        switch expression {
        case .variable(let name):
            if bound.contains(name) { return expression }
            if let value = values[name] { return value }
            missing.insert(name)
            return expression
        case .list(let elements): return .list(elements.map { self.expression($0) })
        case .subqueryCount(let subquery):
            bound.append(subquery.variable)
            defer { bound.removeLast() }
            return .subqueryCount(
                FetchSubquery(
                    subquery.collection, variable: subquery.variable, where: predicate(subquery.predicate)))
        case .value, .keyPath, .count: return expression
        }
    }
}
