extension ComparisonPlanner {
    /// The operator as an order; nil for other operators.
    var order: PlannedOrder? {
        switch comparison.comparisonOperator {
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: nil
        }
    }

    func test(
        _ kind: PlannedKind, left: PlannedOperand, _ right: PredicateResolver.Operand, exchanged: Bool
    ) throws -> PlannedTest {
        switch (comparison.comparisonOperator, right) {
        case (.in, .list(let operands)): return .member(try members(kind, left, operands))
        case (.in, .single(.constant(.null))): return .never
        case (.in, _): throw wrong("IN needs a list or a to-many key path on its right")
        case (.between, .list(let bounds)) where bounds.count == 2:
            return .both(
                try ordering(.greaterOrEqual, kind, left, bounds[0]), try ordering(.lessOrEqual, kind, left, bounds[1]))
        case (.between, _): throw wrong("BETWEEN needs a list of two bounds on its right")
        case (_, .list): throw wrong("a list may only be on the right of IN and BETWEEN")
        case (.equal, .single(let operand)), (.notEqual, .single(let operand)): return try equality(kind, left, operand)
        case (.contains, .single(let operand)): return try text(.contains, kind, left, operand)
        case (.beginsWith, .single(let operand)): return try text(.beginsWith, kind, left, operand)
        case (.endsWith, .single(let operand)): return try text(.endsWith, kind, left, operand)
        case (.like, .single(let operand)):
            guard let pattern = try pattern(kind, left, operand) else { return .never }
            return .like(try LikePattern(pattern, comparison.options))
        case (.matches, .single(let operand)):
            guard let pattern = try pattern(kind, left, operand) else { return .never }
            return .matches(try RegularPattern(pattern, comparison.options))
        case (_, .single(let operand)):
            guard let order else { throw wrong("the operator is not understood") }
            return try ordering(exchanged ? order.exchanged : order, kind, left, operand)
        }
    }

    func equality(_ kind: PlannedKind, _ left: PlannedOperand, _ right: PlannedOperand) throws -> PlannedTest {
        guard case .constant(let value) = right else {
            try checkStored(kind, left, right)
            return right.kind.map(kind.isLike) == true ? .equal(right) : .bothAbsent(right)
        }
        if value.isNull { return .absent }
        guard case .exact(let coerced) = try equal(value, kind, left) else { return .never }
        return .equal(.constant(coerced.folded(comparison.options)))
    }

    private func ordering(
        _ order: PlannedOrder, _ kind: PlannedKind, _ left: PlannedOperand, _ right: PlannedOperand
    ) throws -> PlannedTest {
        guard kind.isOrdered else {
            throw wrong("\(describe(left.isConstant ? right : left)) has no order; compare it with ==, != or IN")
        }
        guard case .constant(let value) = right else {
            try checkKinds(kind, left, right)
            return .ordered(order, right)
        }
        if value.isNull { return .never }
        let isUpper = order == .less || order == .lessOrEqual
        switch try coerce(value, kind, left) {
        case .exact(let coerced): return .ordered(order, .constant(coerced.folded(comparison.options)))
        case .justAbove(let floor): return .ordered(isUpper ? .lessOrEqual : .greater, .constant(floor))
        case .aboveAll: return isUpper ? .present : .never
        case .belowAll: return isUpper ? .never : .present
        }
    }

    private func members(_ kind: PlannedKind, _ left: PlannedOperand, _ operands: [PlannedOperand]) throws -> PlannedSet
    {
        PlannedSet(
            try operands.compactMap { operand in
                guard case .constant(let value) = operand else {
                    throw wrong("the list of IN takes constants, not \(describe(operand)); use == and OR")
                }
                if value.isNull { return value }
                guard case .exact(let coerced) = try equal(value, kind, left) else { return nil }
                // A double beyond the range of decimals equals no value of a decimal attribute.
                if kind == .decimal, case .double = coerced { return nil }
                return coerced.folded(comparison.options)
            })
    }

    private func text(
        _ test: PlannedTextTest, _ kind: PlannedKind, _ left: PlannedOperand, _ right: PlannedOperand
    ) throws -> PlannedTest {
        try checkText(kind, left)
        guard case .constant(let value) = right else {
            try checkKinds(kind, left, right)
            return .text(test, right)
        }
        guard !value.isNull, case .exact(let coerced) = try coerce(value, kind, left) else { return .never }
        return .text(test, .constant(coerced.folded(comparison.options)))
    }

    /// The text of a pattern; nil if the pattern is nil.
    private func pattern(_ kind: PlannedKind, _ left: PlannedOperand, _ right: PlannedOperand) throws -> String? {
        try checkText(kind, left)
        guard case .constant(let value) = right else { throw wrong("the pattern must be a constant") }
        guard !value.isNull, case .exact(.string(let text)) = try coerce(value, kind, left) else { return nil }
        return text
    }

    private func checkText(_ kind: PlannedKind, _ left: PlannedOperand) throws {
        guard kind == .text else {
            let name = comparison.comparisonOperator.rawValue.uppercased()
            throw wrong(
                "\(name) needs text\(comparison.comparisonOperator == .contains ? " or a to-many relationship" : "")"
                    + ", and \(describe(left)) is none")
        }
    }

    private func checkStored(_ kind: PlannedKind, _ left: PlannedOperand, _ right: PlannedOperand) throws {
        for (operand, kind) in [(left, kind), (right, right.kind ?? kind)] where kind == .external {
            throw wrong("\(describe(operand)) is kept outside the row and compares with nil only")
        }
    }

    private func checkKinds(_ kind: PlannedKind, _ left: PlannedOperand, _ right: PlannedOperand) throws {
        try checkStored(kind, left, right)
        guard right.kind.map(kind.isLike) == true else {
            throw wrong("\(describe(left)) and \(describe(right)) have no order between them")
        }
    }

    private func requireStorable(_ value: Value) throws {
        if case .string(let text) = value, text.utf8.contains(0) {
            throw wrong("text with the character U+0000 cannot be stored, nor compared")
        }
    }

    /// Converts a constant for an equality with this kind; nil for one of an unlike type.
    private func equal(_ value: Value, _ kind: PlannedKind, _ left: PlannedOperand) throws -> CoercedConstant? {
        try requireStorable(value)
        return kind == .external ? try coerce(value, kind, left) : kind.coerce(value, left.path?.attribute)
    }

    func coerce(_ value: Value, _ kind: PlannedKind, _ left: PlannedOperand?) throws -> CoercedConstant {
        try requireStorable(value)
        if let coerced = kind.coerce(value, left?.path?.attribute) { return coerced }
        let subject = left.map(describe) ?? "the other side"
        let hint: String =
            switch kind {
            case .external: "; external bytes compare with nil only"
            case .boolean: "; compare with YES or NO"
            case .uuid: "; pass a UUID"
            case .date: "; pass a Date"
            case .integer: "; pass an integer"
            case .double, .decimal: "; pass a number"
            case .text: "; pass a String"
            case .bytes: "; pass Data"
            case .object(let entity): "; pass an object of \(entity.name) or its ObjectID"
            }
        throw wrong("\(subject) does not compare with \(value.summary)\(hint)")
    }
}
