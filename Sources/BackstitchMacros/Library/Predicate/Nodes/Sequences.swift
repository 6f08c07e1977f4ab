import Backstitch
import Foundation

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let (elements, element) = (try translator.term(sequence), try translator.term(element))
        let comparison: FetchComparison.Operator? =
            if LHS.Output.self is any StringProtocol.Type { .contains } else { nil }
        return Term(
            try Term.combine(elements, element) { elements, element in
                guard let element = element.expression else { throw PredicateTranslator.unsupported(self) }
                switch elements {
                case .expression(.list(let list)) where comparison == nil: return .compare(element, .in, .list(list))
                case .expression(let expression): return .compare(expression, .contains, element)
                default: throw PredicateTranslator.unsupported(self)
                }
            })
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        if let elements = try translator.constant(sequence) {
            var result = FetchPredicate.constant(false)
            for element in elements {
                translator.bind(variable, toConstant: element)
                result = .either(result, try translator.predicate(test))
            }
            return Term(result)
        }
        return try translator.term(sequence).map { elements in
            let subset = try translator.subset(of: elements, variable, test, node: self)
            return .predicate(subset.quantified(.any) ?? .compare(.subqueryCount(subset), .greater, .value(.int(0))))
        }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        if let elements = try translator.constant(sequence) {
            var result = FetchPredicate.constant(true)
            for element in elements {
                translator.bind(variable, toConstant: element)
                result = .both(result, try translator.predicate(test))
            }
            return Term(result)
        }
        return try translator.term(sequence).map { elements in
            if case .expression = elements {
                let subset = try translator.subset(of: elements, variable, test, node: self)
                if let all = subset.quantified(.all) { return .predicate(all) }
            }
            let failing = try translator.subset(
                of: elements, variable, PredicateExpressions.Negation(test), node: self)
            return .predicate(.compare(.subqueryCount(failing), .equal, .value(.int(0))))
        }
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        try translator.term(sequence).map { .subset(try translator.subset(of: $0, variable, filter, node: self)) }
    }
}

extension PredicateTranslator {
    /// Makes a subquery: the elements of a to-many, or of a part of one, that pass a test.
    fileprivate mutating func subset<Element>(
        of elements: Term.Operand, _ variable: PredicateExpressions.Variable<Element>,
        _ test: some PredicateExpression<Bool>, node: some PredicateExpression
    ) throws -> FetchSubquery {
        switch elements {
        case .expression(.keyPath(let path)) where Element.self is ManagedObject.Type:
            let name = makeElementName()
            bind(variable, to: FetchKeyPath(root: .variable(name), names: []))
            return FetchSubquery(path, variable: name, where: try predicate(test))
        case .subset(let subset):
            bind(variable, to: FetchKeyPath(root: .variable(subset.variable), names: []))
            return FetchSubquery(
                subset.collection, variable: subset.variable, where: .both(subset.predicate, try predicate(test)))
        default: throw Self.unsupported(node, "only the elements of to-many relationships are tested one by one")
        }
    }
}

extension FetchSubquery {
    /// The test as an `ANY` or `ALL` comparison of one property of the elements with a constant; nil if the test is
    /// more complex.
    fileprivate func quantified(_ quantifier: FetchComparison.Quantifier) -> FetchPredicate? {
        guard case .comparison(let comparison) = predicate, comparison.quantifier == nil,
            case .keyPath(let path) = comparison.left, path.root == .variable(variable)
        else { return nil }
        switch comparison.right {
        case .value, .list: break
        default: return nil
        }
        return .comparison(
            FetchComparison(
                .keyPath(FetchKeyPath(root: collection.root, names: collection.names + path.names)),
                comparison.comparisonOperator, comparison.right, options: comparison.options, quantifier: quantifier))
    }
}
