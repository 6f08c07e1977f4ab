import Backstitch

/// The translation of a `#Predicate` node: one operand, or several under conditions of which exactly one holds.
///
/// `note.subtitle ?? "none"` has two: the subtitle where it is there, and `"none"` where it is not.
struct Term {
    /// One side of a comparison, or a truth.
    enum Operand {
        /// A constant, a list, a path, or a count.
        case expression(FetchExpression)
        /// A truth value that is a predicate itself.
        case predicate(FetchPredicate)
        /// The objects of a to-many relationship that satisfy a predicate.
        case subset(FetchSubquery)
        /// Which of two texts comes first, after folding.
        case textOrder(FetchExpression, FetchExpression, FetchTextOptions)
    }

    /// An operand and when it counts.
    struct Case {
        var condition: FetchPredicate
        var operand: Operand
    }

    private(set) var cases: [Case]

    init(_ operand: Operand) { cases = [Case(condition: .constant(true), operand: operand)] }

    init(_ expression: FetchExpression) { self.init(.expression(expression)) }

    init(_ predicate: FetchPredicate) { self.init(.predicate(predicate)) }

    init(_ cases: [Case]) { self.cases = cases.filter { $0.condition != .constant(false) } }

    /// The term whose operands are those of `transform`.
    func map(_ transform: (Operand) throws -> Operand) rethrows -> Term {
        Term(try cases.map { Case(condition: $0.condition, operand: try transform($0.operand)) })
    }

    /// The term whose cases are those of the terms that `transform` makes of the operands.
    func flatMap(_ transform: (Operand) throws -> Term) rethrows -> Term {
        Term(
            try cases.flatMap { outer in
                try transform(outer.operand).cases.map { inner in
                    Case(condition: .both(outer.condition, inner.condition), operand: inner.operand)
                }
            })
    }

    /// The term under a further condition.
    func when(_ condition: FetchPredicate) -> Term {
        Term(cases.map { Case(condition: .both(condition, $0.condition), operand: $0.operand) })
    }

    /// The predicate that `make` makes of both terms' operands, in every pair of cases.
    static func combine(
        _ left: Term, _ right: Term, _ make: (Operand, Operand) throws -> FetchPredicate
    ) rethrows -> FetchPredicate {
        var result = FetchPredicate.constant(false)
        for left in left.cases {
            for right in right.cases {
                let condition = FetchPredicate.both(left.condition, right.condition)
                if condition == .constant(false) { continue }
                result = .either(result, .both(condition, try make(left.operand, right.operand)))
            }
        }
        return result
    }

    /// The term as a predicate: nil counts as false.
    func predicate() throws -> FetchPredicate {
        var result = FetchPredicate.constant(false)
        for one in cases { result = .either(result, .both(one.condition, try one.operand.predicate())) }
        return result
    }
}

extension Term.Operand {
    /// The operand as a truth: nil counts as false.
    func predicate() throws -> FetchPredicate {
        switch self {
        case .predicate(let predicate): return predicate
        case .expression(.value(.bool(let value))): return .constant(value)
        case .expression(.value(.null)): return .constant(false)
        case .expression(let expression): return .compare(expression, .equal, .value(.bool(true)))
        case .subset, .textOrder: throw BackstitchError(.invalidPredicate, "\(self) is no truth value")
        }
    }

    /// The operand as an expression; nil for a predicate and for objects.
    var expression: FetchExpression? {
        if case .expression(let expression) = self { expression } else { nil }
    }
}
