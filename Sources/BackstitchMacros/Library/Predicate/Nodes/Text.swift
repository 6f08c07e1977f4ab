import Backstitch
import Foundation

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateTranslator.unsupported(self) }
        return try translator.text(base, .contains, other)
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateTranslator.unsupported(self) }
        return try translator.text(base, .beginsWith, prefix)
    }
}

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        guard let regex = try translator.constant(regex) as? PredicateExpressions.PredicateRegex else {
            throw PredicateTranslator.unsupported(self, "the regular expression must be a literal")
        }
        let pattern = SearchPattern(regex.stringRepresentation).text
        let text = try translator.term(subject)
        return Term(try Term.combine(text, Term(.value(.string(pattern))), Term.Operand.comparing(.matches)))
    }
}

#if canImport(Darwin)
extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        try translator.text(root, .contains, other, options: [.caseInsensitive, .diacriticInsensitive])
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let (left, right) = (try translator.term(root), try translator.term(other))
        return try left.flatMap { left in
            try right.map { right in
                guard let left = left.expression, let right = right.expression else {
                    throw PredicateTranslator.unsupported(self)
                }
                return .textOrder(left, right, .caseInsensitive)
            }
        }
    }
}
#endif

extension PredicateTranslator {
    /// Makes a comparison of two texts.
    fileprivate mutating func text(
        _ left: some PredicateExpression, _ comparison: FetchComparison.Operator, _ right: some PredicateExpression,
        options: FetchTextOptions = []
    ) throws -> Term {
        let (left, right) = (try term(left), try term(right))
        return Term(try Term.combine(left, right, Term.Operand.comparing(comparison, options: options)))
    }
}

extension Term.Operand {
    /// Returns a function that compares two operands by an operator.
    static func comparing(
        _ comparison: FetchComparison.Operator, options: FetchTextOptions = []
    ) -> (Term.Operand, Term.Operand) throws -> FetchPredicate {
        { left, right in
            guard let left = left.expression, let right = right.expression else {
                throw BackstitchError(
                    .invalidPredicate, "\(comparison.rawValue) compares values, and one side is a truth value")
            }
            return .compare(left, comparison, right, options: options)
        }
    }
}
