import Backstitch

/// The translation of a `#Predicate` node: one operand, or several, each under a condition. Exactly one condition is
/// true.
///
/// `note.subtitle ?? "none"` has two operands: the subtitle if it has a value, and `"none"` otherwise.
struct Term {
    /// One side of a comparison, or a truth value.
    enum Operand {
        /// A constant, a list, a path, or a count.
        case expression(FetchExpression)
        /// A truth value in the form of a predicate.
        case predicate(FetchPredicate)
        /// Those objects of a to-many relationship that satisfy a predicate.
        case subset(FetchSubquery)
        /// The order of two texts after folding.
        case textOrder(FetchExpression, FetchExpression, FetchTextOptions)
    }

    /// An operand with the condition for its use.
    struct Case {
        var condition: FetchPredicate
        var operand: Operand
    }

    private(set) var cases: [Case]

    init(_ operand: Operand) { cases = [Case(condition: .constant(true), operand: operand)] }

    init(_ expression: FetchExpression) { self.init(.expression(expression)) }

    init(_ predicate: FetchPredicate) { self.init(.predicate(predicate)) }

    init(_ cases: [Case]) { self.cases = cases.filter { $0.condition != .constant(false) } }

    /// Replaces each operand by its `transform`; the conditions stay.
    func map(_ transform: (Operand) throws -> Operand) rethrows -> Term {
        Term(try cases.map { Case(condition: $0.condition, operand: try transform($0.operand)) })
    }

    /// Replaces each operand by the cases of its `transform`, under both conditions.
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

    /// Combines two terms: a predicate of `make` for every pair of cases, each under both conditions.
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
    /// The operand as a predicate: nil counts as false.
    func predicate() throws -> FetchPredicate {
        switch self {
        case .predicate(let predicate): return predicate
        case .expression(.value(.bool(let value))): return .constant(value)
        case .expression(.value(.null)): return .constant(false)
        case .expression(let expression): return .compare(expression, .equal, .value(.bool(true)))
        case .subset, .textOrder: throw BackstitchError(.invalidPredicate, "\(self) is not a truth value")
        }
    }

    /// The operand as an expression; nil for a predicate and for objects.
    var expression: FetchExpression? {
        if case .expression(let expression) = self { expression } else { nil }
    }
}
