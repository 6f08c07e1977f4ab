/// Evaluates a resolved predicate for an object.
struct PredicateEvaluator {
    let subject: any PredicateSubject
    private var variables: [(name: String, element: any PredicateSubject)] = []

    init(_ subject: any PredicateSubject) { self.subject = subject }

    func evaluate(_ predicate: FetchPredicate) throws -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .and(let parts): return try parts.allSatisfy(evaluate)
        case .or(let parts): return try parts.contains(where: evaluate)
        case .not(let part): return try !evaluate(part)
        case .comparison(let comparison):
            guard let plan = comparison.plan else {
                throw BackstitchError(
                    .invalidPredicate,
                    "\"\(comparison)\" is not resolved; call resolved(for:in:) before evaluating or fetching with it")
            }
            return try evaluate(plan)
        }
    }

    private func evaluate(_ plan: ComparisonPlan) throws -> Bool {
        func passes(_ value: Value) throws -> Bool { try plan.passes(value, operand: value(of:)) }
        guard let quantifier = plan.quantifier, case .path(let path) = plan.left else {
            return try passes(value(of: plan.left))
        }
        let elements = try elements(of: path)
        return switch quantifier {
        case .any: try elements.contains(where: passes)
        case .all: try elements.allSatisfy(passes)
        case .none: try !elements.contains(where: passes)
        }
    }

    private func value(of operand: PlannedOperand) throws -> Value {
        switch operand {
        case .constant(let value): return value
        case .path(let path): return try Self.value(of: path, from: start(of: path))
        case .count(let path, let variable, let predicate):
            let destinations = try destinations(of: path)
            guard let variable, let predicate else { return .int(Int64(destinations.count)) }
            var inner = self
            inner.variables.append((variable, subject))
            let count = try destinations.count { element in
                inner.variables[inner.variables.count - 1].element = element
                return try inner.evaluate(predicate)
            }
            return .int(Int64(count))
        }
    }

    private func start(of path: PlannedPath) throws -> any PredicateSubject {
        guard case .variable(let name) = path.root else { return subject }
        guard let variable = variables.last(where: { $0.name == name }) else {
            throw BackstitchError(.internalInconsistency, "a resolved predicate has the free variable $\(name)")
        }
        return variable.element
    }

    /// Returns the value at the end of a path through to-one relationships; nil if one of them is empty.
    static func value(of path: PlannedPath, from start: any PredicateSubject) throws -> Value {
        guard let last = path.steps.last else { return .object(start.objectID) }
        var current = start
        for step in path.steps.dropLast() {
            guard let next = try current.predicateDestinations(step.property).first else { return .null }
            current = next
        }
        return try current.comparableValue(last.property)
    }

    /// Returns the values at the ends of a path through to-many relationships: one for each way along the path.
    private func elements(of path: PlannedPath) throws -> [Value] {
        var current: [(any PredicateSubject)?] = [try start(of: path)]
        for (index, step) in path.steps.enumerated() {
            if step.isToMany {
                current = try current.flatMap { try $0?.predicateDestinations(step.property) ?? [] }
            } else if index < path.steps.count - 1 {
                current = try current.map { try $0?.predicateDestinations(step.property).first }
            } else {
                return try current.map { try $0?.comparableValue(step.property) ?? .null }
            }
        }
        return current.map { $0.map { .object($0.objectID) } ?? .null }
    }

    /// Returns the objects at the end of a path: through to-one relationships to one to-many.
    private func destinations(of path: PlannedPath) throws -> [any PredicateSubject] {
        var current = try start(of: path)
        for step in path.steps.dropLast() {
            guard let next = try current.predicateDestinations(step.property).first else { return [] }
            current = next
        }
        guard let last = path.steps.last else { return [] }
        return try current.predicateDestinations(last.property)
    }
}

extension PredicateSubject {
    /// A property's value; nil for a number or date that is NaN.
    fileprivate func comparableValue(_ property: ResolvedProperty) throws -> Value {
        let value = try predicateValue(property)
        return value.isNotANumber ? .null : value
    }
}
