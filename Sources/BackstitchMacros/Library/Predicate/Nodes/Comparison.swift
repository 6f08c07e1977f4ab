import Backstitch
import Foundation

extension PredicateExpressions.Equal: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let (left, right) = (try translator.term(lhs), try translator.textOrderTerm(rhs))
        return Term(try Term.combine(left, right, Term.Operand.equality))
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let (left, right) = (try translator.term(lhs), try translator.textOrderTerm(rhs))
        return Term(
            try Term.combine(left, right) { left, right in
                if let left = left.expression, let right = right.expression { return .compare(left, .notEqual, right) }
                return .opposite(of: try Term.Operand.equality(left, right))
            })
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let order: FetchComparison.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw PredicateTranslator.unsupported(self)
            }
        let (left, right) = (try translator.term(lhs), try translator.term(rhs))
        return Term(
            try Term.combine(left, right) { left, right in
                guard let left = left.expression, let right = right.expression else {
                    throw PredicateTranslator.unsupported(self, "truth values have no order")
                }
                return .compare(left, order, right)
            })
    }
}

extension Term.Operand {
    /// The predicate that two operands are equal; nil equals nil.
    fileprivate static func equality(_ left: Term.Operand, _ right: Term.Operand) throws -> FetchPredicate {
        switch (left, right) {
        case (.expression(.value(let left)), .expression(.value(let right))) where left.isNull || right.isNull:
            return .constant(left.isNull && right.isNull)
        case (.expression(let left), .expression(let right)): return .compare(left, .equal, right)
        case (.predicate(let predicate), .expression(let expression)),
            (.expression(let expression), .predicate(let predicate)):
            return equality(predicate, expression)
        case (.predicate(let left), .predicate(let right)):
            return .either(.both(left, right), .both(.opposite(of: left), .opposite(of: right)))
        case (.textOrder(let first, let second, let options), .expression(.value(.int(let sign)))):
            return .compare(first, sign < 0 ? .less : sign > 0 ? .greater : .equal, second, options: options)
        default:
            throw BackstitchError(
                .invalidPredicate, "sets of objects are not compared as a whole; use contains or allSatisfy")
        }
    }

    private static func equality(_ predicate: FetchPredicate, _ expression: FetchExpression) -> FetchPredicate {
        switch expression {
        case .value(.bool(let value)): value ? predicate : .opposite(of: predicate)
        case .value(.null): .constant(false)
        default:
            .either(
                .both(predicate, .compare(expression, .equal, .value(.bool(true)))),
                .both(.opposite(of: predicate), .compare(expression, .equal, .value(.bool(false)))))
        }
    }
}

extension PredicateTranslator {
    /// Translates a term. If it is a constant `ComparisonResult`, the result of comparing two texts, it becomes its
    /// number.
    fileprivate mutating func textOrderTerm(_ expression: some PredicateExpression) throws -> Term {
        if let order = try constant(expression) as? ComparisonResult {
            return Term(.value(.int(Int64(order.rawValue))))
        }
        return try term(expression)
    }
}
