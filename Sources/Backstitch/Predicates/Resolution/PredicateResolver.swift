/// Checks a predicate against a model, and plans its comparisons.
struct PredicateResolver {
    let model: ResolvedModel
    let entity: ResolvedEntity
    /// The variables of enclosing subqueries, with the entities of their elements.
    private(set) var variables: [(name: String, entity: ResolvedEntity)] = []

    /// The deepest allowed nesting of subqueries; SQL databases limit it.
    private static let maximumSubqueryDepth = 6

    init(entity: ResolvedEntity, model: ResolvedModel) {
        self.entity = entity
        self.model = model
    }

    mutating func resolve(_ predicate: FetchPredicate, depth: Int = 0) throws -> FetchPredicate {
        guard depth <= FetchPredicate.maximumDepth else {
            throw invalid("the predicate is nested deeper than \(FetchPredicate.maximumDepth) levels")
        }
        switch predicate {
        case .constant: return predicate
        case .and(let parts): return .and(try parts.map { try resolve($0, depth: depth + 1) })
        case .or(let parts): return .or(try parts.map { try resolve($0, depth: depth + 1) })
        case .not(let part): return .not(try resolve(part, depth: depth + 1))
        case .comparison(let comparison):
            let left = try operand(comparison.left, depth: depth)
            let right = try operand(comparison.right, depth: depth)
            return try ComparisonPlanner(comparison, left, right, entity: entity).planned()
        }
    }

    /// A side of a comparison with its path resolved, but its constants unconverted.
    enum Operand {
        case single(PlannedOperand)
        case list([PlannedOperand])
    }

    private mutating func operand(_ expression: FetchExpression, depth: Int) throws -> Operand {
        if case .list(let elements) = expression {
            return .list(try elements.map { try single($0, depth: depth) })
        }
        return .single(try single(expression, depth: depth))
    }

    private mutating func single(_ expression: FetchExpression, depth: Int) throws -> PlannedOperand {
        switch expression {
        case .value(let value): return .constant(value.isNotANumber ? .null : value)
        case .keyPath(let path): return .path(try self.path(path))
        case .variable(let name): return .path(try self.path(FetchKeyPath(root: .variable(name), names: [])))
        case .count(let path): return .count(try collection(path, "@count"), variable: nil, where: nil)
        case .list: throw invalid("a list inside a list")
        case .subqueryCount(let subquery):
            let path = try collection(subquery.collection, "SUBQUERY")
            guard let destination = path.steps.last?.destination else { throw invalid("SUBQUERY without a collection") }
            guard !variables.contains(where: { $0.name == subquery.variable }) else {
                throw invalid("$\(subquery.variable) is the variable of two nested SUBQUERYs; give each its own")
            }
            guard variables.count < Self.maximumSubqueryDepth else {
                throw invalid("SUBQUERYs are nested deeper than \(Self.maximumSubqueryDepth) levels")
            }
            variables.append((subquery.variable, destination))
            defer { variables.removeLast() }
            let predicate = try resolve(subquery.predicate, depth: depth + 1)
            return .count(path, variable: subquery.variable, where: predicate)
        }
    }

    private func invalid(_ message: String) -> BackstitchError { BackstitchError(.invalidPredicate, message) }
}

extension PredicateResolver {
    /// Resolves the properties of a path.
    func path(_ path: FetchKeyPath) throws -> PlannedPath {
        let rootEntity = try entity(of: path.root)
        var steps: [PlannedStep] = []
        var current: ResolvedEntity? = rootEntity
        var names = path.names[...]
        while let name = names.popFirst() {
            guard let source = current else { throw passesAttribute(path, steps) }
            guard let property = source.property(named: name) ?? source.part(name, &names) else {
                throw unknown(name, of: source, in: path)
            }
            current = property.relationship.map(model.destination(of:))
            steps.append(PlannedStep(entity: source, property: property, destination: current))
        }
        let kind: PlannedKind
        if let attribute = steps.last?.property.attribute {
            kind = PlannedKind(attribute)
        } else {
            kind = .object(current ?? rootEntity)
        }
        return PlannedPath(root: path.root, rootEntity: rootEntity, steps: steps, kind: kind)
    }

    /// Resolves a path to one to-many relationship at its end.
    private func collection(_ path: FetchKeyPath, _ use: String) throws -> PlannedPath {
        let planned = try self.path(path)
        guard planned.steps.last?.isToMany == true else {
            throw BackstitchError(
                .invalidPredicate,
                "\(use) needs a to-many relationship, and \(entity.name).\(path) is not one", key: path.description)
        }
        guard planned.steps.count(where: \.isToMany) == 1 else {
            throw BackstitchError(
                .invalidPredicate,
                "\(use) of \(path) is ambiguous: it goes through more than one to-many relationship of \(entity.name); "
                    + "use SUBQUERY for the outer one", key: path.description)
        }
        return planned
    }

    private func entity(of root: FetchKeyPath.Root) throws -> ResolvedEntity {
        guard case .variable(let name) = root else { return entity }
        if let variable = variables.first(where: { $0.name == name }) { return variable.entity }
        throw BackstitchError(
            .invalidPredicate,
            "the predicate's variable $\(name) has no value; give it one with substituting(variables:)", key: name)
    }

    private func passesAttribute(_ path: FetchKeyPath, _ steps: [PlannedStep]) -> BackstitchError {
        let attribute = steps.last.map { "\($0.entity.name).\($0.property.name)" } ?? ""
        return BackstitchError(
            .invalidPredicate, "\(path) goes on after \(attribute), which is an attribute", key: path.description)
    }

    private func unknown(_ name: String, of entity: ResolvedEntity, in path: FetchKeyPath) -> BackstitchError {
        let hint = NearNames.hint(name, among: entity.ownProperties.map(\.name))
        let isMeantAsText =
            path.names.count == 1 && NearNames.near(name, among: entity.ownProperties.map(\.name)).isEmpty
        let advice = isMeantAsText ? ". Write a text in quotes, or pass it for %@" : ""
        let place = path.names.count > 1 ? " (in \(path))" : ""
        return BackstitchError(
            .invalidPredicate, "entity \(entity.name) has no property \"\(name)\"\(place); \(hint)\(advice)",
            key: path.description)
    }
}

extension ResolvedEntity {
    /// Returns the part of a composite attribute on a path with `name` first. Removes the used names from `rest`.
    fileprivate func part(_ name: String, _ rest: inout ArraySlice<String>) -> ResolvedProperty? {
        guard !compositePaths.isEmpty else { return nil }
        var path = name
        for (position, next) in zip(rest.indices, rest) {
            path += ".\(next)"
            guard compositePaths[path] != nil else { continue }
            rest = rest[(position + 1)...]
            return property(named: path)
        }
        return nil
    }
}
