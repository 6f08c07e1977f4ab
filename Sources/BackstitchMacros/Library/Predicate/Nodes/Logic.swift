import Backstitch
import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        Term(.both(try translator.predicate(lhs), try translator.predicate(rhs)))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        Term(.either(try translator.predicate(lhs), try translator.predicate(rhs)))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        Term(.opposite(of: try translator.predicate(wrapped)))
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let condition = try translator.predicate(test)
        let (yes, no) = (try translator.term(trueBranch), try translator.term(falseBranch))
        return Term(yes.when(condition).cases + no.when(.opposite(of: condition)).cases)
    }
}
