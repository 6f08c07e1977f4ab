/// Plans one comparison: checks that its sides fit each other, and converts its constants to the type of the other
/// side.
struct ComparisonPlanner {
    let comparison: FetchComparison
    let entity: ResolvedEntity
    private var left: PredicateResolver.Operand
    private var right: PredicateResolver.Operand

    init(
        _ comparison: FetchComparison, _ left: PredicateResolver.Operand, _ right: PredicateResolver.Operand,
        entity: ResolvedEntity
    ) {
        self.comparison = comparison
        self.left = left
        self.right = right
        self.entity = entity
    }

    /// Returns the comparison with its plan; a constant if the result is the same for every object.
    func planned() throws -> FetchPredicate {
        if let membership = try plannedMembership() { return membership }
        var (left, right) = (try leftOperand(), self.right)
        var exchanged = false
        if case .constant = left, case .single(let other) = right, !other.isConstant, isSymmetric {
            (left, right) = (other, .single(left))
            exchanged = true
        }
        try checkQuantifier(left, right)
        let kind = try self.kind(left, right)
        try checkOptions(kind)
        let test = try self.test(kind, left: left, right, exchanged: exchanged)
        return try finish(constantsCoerced(left, kind), test, kind, right, exchanged)
    }

    /// Plans `x IN tags.name`, and `tags.name CONTAINS x` without a quantifier: true if any element is equal.
    private func plannedMembership() throws -> FetchPredicate? {
        let sides: (path: PlannedOperand, element: PredicateResolver.Operand)
        switch (comparison.comparisonOperator, left, right) {
        case (.in, _, .single(let path)) where path.isToMany: sides = (path, left)
        case (.contains, .single(let path), _) where path.isToMany && comparison.quantifier == nil:
            sides = (path, right)
        default: return nil
        }
        guard comparison.quantifier == nil, case .single(let element) = sides.element, !element.isToMany else {
            throw wrong("one side of it must be a single value")
        }
        let kind = try self.kind(sides.path, sides.element)
        try checkOptions(kind)
        return .comparison(
            comparison.with(
                ComparisonPlan(
                    left: sides.path, test: try equality(kind, sides.path, element), isNegated: false,
                    options: comparison.options, quantifier: .any)))
    }

    private func leftOperand() throws -> PlannedOperand {
        guard case .single(let operand) = left else { throw wrong("a list may only be on the right of IN and BETWEEN") }
        return operand
    }

    private var isSymmetric: Bool { comparison.comparisonOperator.isEquality || order != nil }

    private func checkQuantifier(_ left: PlannedOperand, _ right: PredicateResolver.Operand) throws {
        if case .single(let operand) = right, operand.isToMany {
            throw wrong("\(describe(operand)) is to-many, and may only be on the left, after ANY, ALL or NONE")
        }
        if left.isToMany, comparison.quantifier == nil {
            throw wrong("\(describe(left)) is to-many: write ANY, ALL or NONE before it, or compare its @count")
        }
        if let quantifier = comparison.quantifier, !left.isToMany {
            throw wrong(
                "\(quantifier.rawValue.uppercased()) needs a to-many relationship, and \(describe(left)) is not one")
        }
    }

    private func checkOptions(_ kind: PlannedKind) throws {
        guard !comparison.options.contains(.numeric) else {
            throw wrong("numeric comparison of texts is for sorting only")
        }
        guard comparison.options.isEmpty || kind == .text else {
            throw wrong("[\(comparison.options)] is for text only")
        }
    }

    /// The common kind for the comparison of the two sides.
    private func kind(_ left: PlannedOperand, _ right: PredicateResolver.Operand) throws -> PlannedKind {
        if let kind = left.kind { return kind }
        let others: [PlannedOperand] =
            switch right {
            case .single(let operand): [operand]
            case .list(let operands): operands
            }
        if let kind = others.lazy.compactMap(\.kind).first { return kind }
        for operand in [left] + others {
            if case .constant(let value) = operand, !value.isNull { return try constantKind(value) }
        }
        return .text
    }

    private func constantKind(_ value: Value) throws -> PlannedKind {
        switch value {
        case .null, .string, .uri: .text
        case .bool: .boolean
        case .int: .integer
        case .double: .double
        case .decimal: .decimal
        case .date: .date
        case .data: .bytes
        case .uuid: .uuid
        case .asset, .file: .external
        case .object(let id) where entity.isRelated(to: id): .object(entity)
        case .object: throw wrong("two constant objects need no fetch to compare")
        }
    }

    private func constantsCoerced(_ left: PlannedOperand, _ kind: PlannedKind) throws -> PlannedOperand {
        guard case .constant(let value) = left, !value.isNull else { return left }
        guard case .exact(let coerced) = try coerce(value, kind, nil) else { return left }
        return .constant(coerced.folded(comparison.options))
    }

    private func finish(
        _ left: PlannedOperand, _ test: PlannedTest, _ kind: PlannedKind, _ right: PredicateResolver.Operand,
        _ exchanged: Bool
    ) throws -> FetchPredicate {
        let plan = ComparisonPlan(
            left: left, test: test, isNegated: comparison.comparisonOperator == .notEqual, options: comparison.options,
            quantifier: comparison.quantifier)
        if case .constant(let value) = left, test.isConstant {
            return .constant(try plan.passes(value) { _ in .null })
        }
        return .comparison(exchanged ? comparison.with(plan) : comparison.with(plan, right: visible(right, kind, left)))
    }

    /// The right side for display: constants have their attribute's type.
    private func visible(_ right: PredicateResolver.Operand, _ kind: PlannedKind, _ left: PlannedOperand)
        -> FetchExpression
    {
        func show(_ operand: PlannedOperand, _ expression: FetchExpression) -> FetchExpression {
            guard case .constant(let value) = operand, !value.isNull,
                case .exact(let coerced) = kind.coerce(value, left.path?.attribute)
            else { return expression }
            return .value(coerced)
        }
        switch (right, comparison.right) {
        case (.single(let operand), let expression) where !comparison.comparisonOperator.isPattern:
            return show(operand, expression)
        case (.list(let operands), .list(let expressions)):
            return .list(zip(operands, expressions).map(show))
        default: return comparison.right
        }
    }
}

extension ComparisonPlanner {
    func wrong(_ message: String) -> BackstitchError {
        BackstitchError(.invalidPredicate, "\(message) (in \"\(comparison)\" for \(entity.name))", key: keyPath)
    }

    /// The first path of the comparison, for errors.
    private var keyPath: String? {
        for case .keyPath(let path) in [comparison.left, comparison.right] { return path.description }
        return nil
    }

    func describe(_ operand: PlannedOperand) -> String {
        switch operand {
        case .constant(let value): value.summary
        case .count: "a count"
        case .path(let path): path.summary
        }
    }
}

extension FetchComparison {
    /// Returns the comparison with a plan, and with another right side if one is given.
    fileprivate func with(_ plan: ComparisonPlan, right: FetchExpression? = nil) -> FetchComparison {
        var copy = FetchComparison(
            left, comparisonOperator, right ?? self.right, options: options, quantifier: quantifier)
        copy.plan = plan
        return copy
    }
}

extension FetchComparison.Operator {
    var isEquality: Bool { self == .equal || self == .notEqual }
    var isPattern: Bool { self == .like || self == .matches }
}

extension PlannedOperand {
    var isConstant: Bool {
        if case .constant = self { true } else { false }
    }

    /// Whether the operand has several elements; a count has only one.
    var isToMany: Bool { path?.isToMany ?? false }

    /// The kind of the operand in a comparison; nil for a constant, which takes the other side's kind.
    package var kind: PlannedKind? {
        switch self {
        case .constant: nil
        case .path(let path): path.kind
        case .count: .integer
        }
    }
}

extension PlannedTest {
    /// Whether the test needs no other value of the object.
    fileprivate var isConstant: Bool {
        switch self {
        case .equal(let operand), .bothAbsent(let operand), .ordered(_, let operand), .text(_, let operand):
            operand.isConstant
        case .both(let one, let other): one.isConstant && other.isConstant
        case .never, .absent, .present, .member, .like, .matches: true
        }
    }
}

extension PlannedPath {
    /// Entity, path and type, for messages.
    package var summary: String {
        let names = steps.map(\.property.name)
        if steps.isEmpty { return "the \(rootEntity.name)" }
        let path = ([rootEntity.name] + names).joined(separator: ".")
        if let attribute { return "\(path) (\(attribute.type))" }
        return "\(path) (\(steps.last?.destination?.name ?? "object"))"
    }
}
