import Backstitch
import Foundation

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let bounds: RangeBounds
        if let constant = try translator.constant(range) {
            guard let range = constant as? any RangeConstant else { throw PredicateTranslator.unsupported(self) }
            bounds = try range.bounds()
        } else {
            guard let node = range as? any RangeNode else { throw PredicateTranslator.unsupported(self) }
            bounds = try node.bounds(by: &translator)
        }
        let element = try translator.term(element)
        func within(_ comparison: FetchComparison.Operator, _ bound: Term?) throws -> FetchPredicate {
            guard let bound else { return .constant(true) }
            return try Term.combine(element, bound, Term.Operand.comparing(comparison))
        }
        return Term(
            .both(
                try within(.greaterOrEqual, bounds.lower),
                try within(bounds.includesUpper ? .lessOrEqual : .less, bounds.upper)))
    }
}

/// The bounds of a range, as terms. A bound is nil if the range is open at that end.
private struct RangeBounds {
    var lower: Term?
    var upper: Term?
    var includesUpper = true
}

/// A range with nodes of the predicate as its bounds.
private protocol RangeNode {
    func bounds(by translator: inout PredicateTranslator) throws -> RangeBounds
}

extension PredicateExpressions.ClosedRange: RangeNode {
    fileprivate func bounds(by translator: inout PredicateTranslator) throws -> RangeBounds {
        RangeBounds(lower: try translator.term(lower), upper: try translator.term(upper))
    }
}

extension PredicateExpressions.Range: RangeNode {
    fileprivate func bounds(by translator: inout PredicateTranslator) throws -> RangeBounds {
        RangeBounds(lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: false)
    }
}

/// A captured range, or a range made of constants.
private protocol RangeConstant {
    func bounds() throws -> RangeBounds
}

extension RangeConstant {
    fileprivate func term(_ bound: some Comparable) throws -> Term {
        if let expression = ConstantExpression.expression(of: bound) { return Term(expression) }
        throw BackstitchError(
            .invalidPredicate, "\(type(of: bound)) is not a type of an attribute, so it cannot bound a range")
    }
}

extension ClosedRange: RangeConstant {
    fileprivate func bounds() throws -> RangeBounds {
        RangeBounds(lower: try term(lowerBound), upper: try term(upperBound))
    }
}

extension Range: RangeConstant {
    fileprivate func bounds() throws -> RangeBounds {
        RangeBounds(lower: try term(lowerBound), upper: try term(upperBound), includesUpper: false)
    }
}

extension PartialRangeFrom: RangeConstant {
    fileprivate func bounds() throws -> RangeBounds { RangeBounds(lower: try term(lowerBound)) }
}

extension PartialRangeThrough: RangeConstant {
    fileprivate func bounds() throws -> RangeBounds { RangeBounds(upper: try term(upperBound)) }
}

extension PartialRangeUpTo: RangeConstant {
    fileprivate func bounds() throws -> RangeBounds { RangeBounds(upper: try term(upperBound), includesUpper: false) }
}
