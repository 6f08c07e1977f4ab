import Backstitch
import Foundation

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term { try translator.term(inner) }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let fallback = try translator.term(rhs)
        return try translator.term(lhs).flatMap { operand in
            guard let expression = operand.expression else { return Term(operand) }
            let presence = FetchPredicate.isPresent(expression)
            return Term(
                [Term.Case(condition: presence, operand: operand)] + fallback.when(.opposite(of: presence)).cases)
        }
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        try translator.term(wrapped).flatMap { operand in
            guard let optional = operand.expression else { throw PredicateTranslator.unsupported(self) }
            if optional == .value(.null) { return Term(optional) }
            translator.bind(variable, to: optional)
            let result = try translator.term(transform)
            if result.cases.allSatisfy({ $0.operand.isNil(whereNilIs: optional) }) { return result }
            let presence = FetchPredicate.isPresent(optional)
            return Term(result.when(presence).cases + Term(.value(.null)).when(.opposite(of: presence)).cases)
        }
    }
}

extension Term.Operand {
    /// Whether the operand is nil whenever `optional` is nil, because its path continues from that of `optional`.
    fileprivate func isNil(whereNilIs optional: FetchExpression) -> Bool {
        guard case .expression(.keyPath(let path)) = self, case .keyPath(let start) = optional else { return false }
        return path.root == start.root && path.names.starts(with: start.names)
    }
}
