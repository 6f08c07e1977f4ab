import Backstitch

extension SQLPredicateTranslator {
    /// The condition of a comparison, or of its negation.
    func condition(_ plan: ComparisonPlan, isNegated: Bool) throws -> SQLFragment {
        if let quantifier = plan.quantifier, case .path(let path) = plan.left {
            // ALL holds if no element fails. The others look for one element that passes.
            let found = try exists(path) { element in
                try self.test(plan, element, isNegated: quantifier == .all)
            }
            return (quantifier == .any) != isNegated ? found : "NOT " + found
        }
        if let existence = try existence(plan, isNegated: isNegated) { return existence }
        return try test(plan, operand(plan.left), isNegated: isNegated)
    }

    /// Tests like `@count > 0` need only one row, so they become `EXISTS`. Nil for any other test.
    private func existence(_ plan: ComparisonPlan, isNegated: Bool) throws -> SQLFragment? {
        guard case .count(let path, let variable, let predicate) = plan.left else { return nil }
        let isEmpty: Bool
        switch plan.test {
        case .equal(.constant(.int(0))), .ordered(.less, .constant(.int(1))),
            .ordered(.lessOrEqual, .constant(.int(0))):
            isEmpty = true
        case .ordered(.greater, .constant(.int(0))), .ordered(.greaterOrEqual, .constant(.int(1))): isEmpty = false
        default: return nil
        }
        let found = "EXISTS (" + (try rows("1", path, variable, predicate)) + ")"
        return (isEmpty != plan.isNegated) != isNegated ? "NOT " + found : found
    }

    /// The test of one value. If negated, it has only two truth values.
    private func test(_ plan: ComparisonPlan, _ left: SQLOperand, isNegated: Bool) throws -> SQLFragment {
        let isNegated = plan.isNegated != isNegated
        switch plan.test {
        case .never: return isNegated ? Self.always : Self.never
        case .absent: return left.sql + (isNegated ? " IS NOT NULL" : " IS NULL")
        case .present: return left.sql + (isNegated ? " IS NULL" : " IS NOT NULL")
        case .equal(.constant(let value)) where !isNegated:
            return dialect.comparison(folded(left, plan), "=", constant(value, left.kind))
        case .equal(let side):
            return dialect.sameness(folded(left, plan), try right(side, left, plan), isNegated: isNegated)
        case .bothAbsent where isNegated: return "NOT " + (try positive(plan.test, left, plan))
        default:
            let condition = try positive(plan.test, left, plan)
            if condition == Self.never { return isNegated ? Self.always : Self.never }
            return isNegated ? "NOT coalesce(" + condition + ", " + Self.never + ")" : condition
        }
    }

    /// A condition that is true if the test passes, and false or NULL otherwise.
    private func positive(_ test: PlannedTest, _ left: SQLOperand, _ plan: ComparisonPlan) throws -> SQLFragment {
        switch test {
        case .never: return Self.never
        case .absent: return left.sql + " IS NULL"
        case .present: return left.sql + " IS NOT NULL"
        case .equal(let side):
            return dialect.sameness(folded(left, plan), try right(side, left, plan), isNegated: false)
        case .bothAbsent(let side):
            return "(" + left.sql + " IS NULL AND " + (try operand(side)).sql + " IS NULL)"
        case .ordered(let order, let side):
            return dialect.comparison(folded(left, plan), order.symbol, try right(side, left, plan))
        case .both(let one, let other):
            let (first, second) = (try positive(one, left, plan), try positive(other, left, plan))
            if first == Self.never || second == Self.never { return Self.never }
            return "(" + first + " AND " + second + ")"
        case .member(let set):
            if set.values.isEmpty { return set.hasNull ? left.sql + " IS NULL" : Self.never }
            let member = dialect.member(folded(left, plan), of: set.values)
            return set.hasNull ? "(" + member + " OR " + left.sql + " IS NULL)" : member
        case .text(let test, let side): return try text(test, side, left, plan)
        case .like(let pattern): return dialect.like(left.sql, pattern)
        case .matches(let pattern): return dialect.matches(left.sql, pattern)
        }
    }

    /// The test of a text against another. A prefix becomes a range if an index can serve it.
    private func text(
        _ test: PlannedTextTest, _ side: PlannedOperand, _ left: SQLOperand, _ plan: ComparisonPlan
    ) throws -> SQLFragment {
        guard case .constant(.string(let text)) = side else {
            return dialect.text(test, folded(left, plan).sql, try right(side, left, plan).sql, constant: nil)
        }
        guard test == .beginsWith, plan.options.isEmpty || hasIndex(plan), left.sql.bindings.isEmpty, !text.isEmpty
        else {
            return dialect.text(test, folded(left, plan).sql, constant(.string(text), .text).sql, constant: text)
        }
        // A prefix is a range in the order of bytes, so an index can serve it.
        let left = folded(left, plan)
        let lower = dialect.comparison(left, ">=", constant(.string(text), .text))
        guard let end = text.prefixEnd else { return lower }
        return "(" + lower + " AND " + dialect.comparison(left, "<", constant(.string(end), .text)) + ")"
    }

    /// Whether an index keeps the text folded for this comparison. Without one, folding each text twice would cost
    /// more.
    private func hasIndex(_ plan: ComparisonPlan) -> Bool {
        guard case .path(let path) = plan.left, let step = path.steps.last else { return false }
        return model.hasIndex(on: step.property, of: step.entity, folded: plan.options)
    }

    private func right(_ side: PlannedOperand, _ left: SQLOperand, _ plan: ComparisonPlan) throws -> SQLOperand {
        if case .constant(let value) = side { return constant(value, left.kind) }
        return folded(try operand(side), plan)
    }

    private func constant(_ value: Value, _ kind: PlannedKind) -> SQLOperand {
        SQLOperand(dialect.constant(value, as: kind), kind)
    }

    private func folded(_ operand: SQLOperand, _ plan: ComparisonPlan) -> SQLOperand {
        plan.options.isEmpty ? operand : SQLOperand(dialect.folded(operand.sql, plan.options), operand.kind)
    }
}

extension PlannedOrder {
    fileprivate var symbol: String {
        switch self {
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension String {
    /// The first text after all texts with this prefix, in the order of UTF-8 bytes; nil when there is none.
    fileprivate var prefixEnd: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // The following scalar. Surrogates are no scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) { return String(String.UnicodeScalarView(scalars + [scalar])) }
        }
        return nil
    }
}
