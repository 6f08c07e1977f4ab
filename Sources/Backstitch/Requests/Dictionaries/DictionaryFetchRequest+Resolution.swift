extension DictionaryFetchRequest {
    /// Returns the request checked against a model.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` and ``BackstitchError/Code/invalidPredicate``, with the part
    ///   of the request that does not fit.
    func resolved(in context: ManagedObjectContext) throws -> StoreDictionaryRequest {
        let model = context.model
        var fetch = try context.resolve(FetchRequest<ManagedObject>(entityName: entityName, predicate: predicate))
        fetch.includesSubentities = includesSubentities
        _ = try context.resolve(FetchRequest<ManagedObject>(entityName: entityName, limit: limit, offset: offset))
        let properties = try properties.isEmpty ? allAttributes(of: fetch.entity, model) : properties
        let planner = DictionaryPlanner(entity: fetch.entity, model: model)
        let groups = try groupBy.map { try planner.path($0) }
        let isGrouped = !groupBy.isEmpty || properties.contains { $0.aggregate != nil }
        let columns = try properties.map { property in
            if isGrouped, property.aggregate == nil, !groupBy.contains(property.keyPath ?? "") {
                throw BackstitchError(
                    .invalidRequest,
                    "\(property.name) of a dictionary fetch of \(entityName) is neither grouped by nor an aggregate; add it to groupBy",
                    key: property.name)
            }
            return try planner.column(property)
        }
        let results = try planner.results(columns)
        return StoreDictionaryRequest(
            fetch: fetch, columns: columns, groupBy: groups, isGrouped: isGrouped,
            isDistinct: returnsDistinctResults, results: results,
            having: try having?.byResultNames(results).resolved(for: results, in: model),
            sortDescriptors: try sortDescriptors.map { descriptor in
                guard let property = results.property(named: descriptor.keyPath) else {
                    throw FetchPredicate.unknownResult(descriptor.keyPath, results)
                }
                return try descriptor.resolved(for: results, property)
            }, limit: limit, offset: offset)
    }

    /// The properties for a request without any: all stored attributes of the entity.
    private func allAttributes(of entity: ResolvedEntity, _ model: ResolvedModel) throws -> [DictionaryColumn] {
        guard groupBy.isEmpty else {
            throw BackstitchError(
                .invalidRequest,
                "a dictionary fetch of \(entityName) that groups asks for no property; name a key of groupBy or an aggregate"
            )
        }
        let paths = Dictionary(entity.compositePaths.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let places = model.orderColumns(of: entity)
        let attributes = entity.ownProperties.filter {
            $0.attribute != nil && $0.slot < entity.columnCount && !places.contains($0.slot)
        }
        return attributes.map { .key(paths[$0.name] ?? $0.name) }
    }
}

/// Resolves the properties of a dictionary fetch, and the types of their results.
private struct DictionaryPlanner {
    let entity: ResolvedEntity
    let model: ResolvedModel

    func path(_ keyPath: String) throws -> PlannedPath {
        let path = try PredicateResolver(entity: entity, model: model).path(FetchKeyPath(keyPath))
        try path.requireStored()
        guard !path.isToMany else {
            throw BackstitchError(
                .invalidRequest,
                "a dictionary fetch cannot give \(entity.name).\(keyPath): it leads through a to-many relationship",
                key: keyPath)
        }
        return path
    }

    func column(_ property: DictionaryColumn) throws -> StoreDictionaryRequest.Column {
        let path = try property.keyPath.map { try self.path($0) }
        let type = try resultType(property, path)
        let isObject = property.aggregate == nil && path?.attribute == nil
        let isExternal = property.aggregate == nil && path?.attribute?.allowsExternalStorage == true
        return StoreDictionaryRequest.Column(
            name: property.name, aggregate: property.aggregate, path: path,
            attribute: AttributeDescription(property.name, type, external: isExternal),
            destinationName: isObject ? path?.kind.entity?.name : nil)
    }

    private func resultType(_ property: DictionaryColumn, _ path: PlannedPath?) throws -> AttributeType {
        guard let aggregate = property.aggregate, let path else { return path?.attribute?.type ?? countOrObject(path) }
        switch (aggregate, path.kind) {
        case (.count, _): return .integer64
        case (.countDistinct, let kind) where kind != .external: return .integer64
        case (.sum, .integer): return .integer64
        case (.sum, .double), (.average, .double), (.average, .integer): return .double
        case (.sum, .decimal), (.average, .decimal): return .decimal
        case (.min, let kind) where kind.isOrdered, (.max, let kind) where kind.isOrdered:
            return path.attribute?.type ?? .uuid
        default:
            throw BackstitchError(
                .invalidRequest, "\(path.summary) has no \(aggregate.rawValue)", key: property.keyPath)
        }
    }

    private func countOrObject(_ path: PlannedPath?) -> AttributeType { path == nil ? .integer64 : .uuid }

    func results(_ columns: [StoreDictionaryRequest.Column]) throws -> ResolvedEntity {
        if let twice = Dictionary(grouping: columns, by: \.name).first(where: { $0.value.count > 1 })?.key {
            throw BackstitchError(
                .invalidRequest, "a dictionary fetch of \(entity.name) has two properties with the name \(twice)",
                key: twice)
        }
        let properties = columns.enumerated().map {
            // A result may have any name, and some names are keywords of a database. So its column gets a neutral name.
            ResolvedProperty(
                name: $1.name, columnName: "_\($0)", slot: $0, attribute: $1.attribute, relationship: nil)
        }
        return ResolvedEntity(
            name: "results of \(entity.name)", index: -1, properties: properties, columnCount: properties.count,
            managedObjectClass: ManagedObject.self)
    }
}

extension PlannedKind {
    fileprivate var entity: ResolvedEntity? {
        if case .object(let entity) = self { entity } else { nil }
    }
}

extension FetchSortDescriptor {
    /// Resolves the descriptor for results; their names may contain points.
    fileprivate func resolved(for results: ResolvedEntity, _ property: ResolvedProperty) throws -> FetchSortDescriptor {
        let step = PlannedStep(entity: results, property: property, destination: nil)
        let kind = property.attribute.map { PlannedKind($0) } ?? .uuid
        return try resolved(
            to: PlannedPath(root: .subject, rootEntity: results, steps: [step], kind: kind))
    }
}

extension FetchPredicate {
    fileprivate static func unknownResult(_ name: String, _ results: ResolvedEntity) -> BackstitchError {
        BackstitchError(
            .invalidPredicate,
            "the \(results.name) have no \"\(name)\"; they have \(results.properties.map(\.name).joined(separator: ", "))",
            key: name)
    }

    /// Replaces each key path of the predicate by the single name of a result.
    fileprivate func byResultNames(_ results: ResolvedEntity) throws -> FetchPredicate {
        switch self {
        case .constant: return self
        case .not(let part): return .not(try part.byResultNames(results))
        case .and(let parts): return .and(try parts.map { try $0.byResultNames(results) })
        case .or(let parts): return .or(try parts.map { try $0.byResultNames(results) })
        case .comparison(let comparison):
            return .comparison(
                FetchComparison(
                    try Self.byResultNames(comparison.left, results), comparison.comparisonOperator,
                    try Self.byResultNames(comparison.right, results), options: comparison.options,
                    quantifier: comparison.quantifier))
        }
    }

    private static func byResultNames(
        _ expression: FetchExpression, _ results: ResolvedEntity
    ) throws -> FetchExpression {
        switch expression {
        case .list(let elements): return .list(try elements.map { try byResultNames($0, results) })
        case .keyPath(let path):
            let name = path.names.joined(separator: ".")
            guard results.property(named: name) != nil else { throw unknownResult(path.description, results) }
            return .keyPath(FetchKeyPath(root: path.root, names: [name]))
        default: return expression
        }
    }
}
