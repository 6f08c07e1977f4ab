/// Resolves the properties of a batch update, and converts its constants to their form in rows.
struct BatchUpdatePlanner {
    private let context: ManagedObjectContext
    private let entity: ResolvedEntity
    /// The bytes of assets among the constants.
    private(set) var assets: AssetContents = [:]

    init(_ context: ManagedObjectContext, _ entity: ResolvedEntity) {
        self.context = context
        self.entity = entity
    }

    mutating func assignments(_ properties: [String: BatchExpression]) throws -> [BatchAssignment] {
        guard !properties.isEmpty else {
            throw BackstitchError(.invalidRequest, "a batch update of \(entity.name) sets no property")
        }
        var assignments: [BatchAssignment] = []
        for (name, expression) in properties {
            let property = try entity.requireBatchProperty(named: name, in: context.model)
            if entity.naturalKey?.attributes.contains(property.name) == true {
                throw BackstitchError(
                    .invalidRequest,
                    "a batch update cannot set \(entity.name).\(property.name): it identifies the objects, and does not change",
                    key: property.name)
            }
            assignments.append(BatchAssignment(column: property.slot, expression: try plan(expression, for: property)))
        }
        return assignments.sorted { $0.column < $1.column }
    }

    private mutating func plan(
        _ expression: BatchExpression, for property: ResolvedProperty
    ) throws -> PlannedBatchExpression {
        if case .value(let value) = expression {
            if value.isNull, property.attribute?.isOptional == false {
                throw BackstitchError(
                    .validation,
                    "a batch update cannot set \(entity.name).\(property.name) to nil: it must have a value; make it optional in the "
                        + "model, or give it another", key: property.name)
            }
            return .constant(try context.batchValue(value, for: property, of: entity, &assets))
        }
        if let relationship = property.relationship { try require(expression, for: property, relationship) }
        return try plan(expression)
    }

    /// Throws unless an expression gives objects that the relationship may have: a row keeps only their keys.
    private func require(
        _ expression: BatchExpression, for property: ResolvedProperty, _ relationship: ResolvedRelationship
    ) throws {
        var source: ResolvedProperty?
        if case .key(let name) = expression { source = try entity.requireProperty(named: name) }
        let destination = source?.relationship.map(context.model.destination(of:))
        if destination?.isKind(of: context.model.destination(of: relationship)) == true { return }
        let given = source.map { "\(entity.name).\($0.name), \($0.words)" } ?? "the result of an operation"
        throw BackstitchError(
            .invalidValue,
            "a batch update cannot set \(entity.name).\(property.name), which leads to \(property.destinationName), to "
                + "\(given); give it .value(.object(id)), or the .key of a to-one relationship to such objects",
            key: property.name)
    }

    private func plan(_ expression: BatchExpression) throws -> PlannedBatchExpression {
        switch expression {
        case .value(let value): return .constant(value)
        case .operation(let operation, let left, let right):
            return .operation(operation, try plan(left), try plan(right))
        case .key(let name):
            let property = try entity.requireProperty(named: name)
            if property.slot < entity.columnCount { return .column(property.slot) }
            throw BackstitchError(
                .invalidRequest,
                "a batch update of \(entity.name) cannot read \(name), which is not a value of the object's own row",
                key: name)
        }
    }
}

extension ResolvedEntity {
    /// Returns the property in a slot; throws if a batch request cannot write it.
    func requireBatchProperty(at slot: Int, in model: ResolvedModel) throws -> ResolvedProperty {
        try requireBatchProperty(named: properties[slot].name, in: model)
    }

    /// Returns the property of a name; throws if a batch request cannot write it.
    func requireBatchProperty(named name: String, in model: ResolvedModel) throws -> ResolvedProperty {
        let property = try requireProperty(named: name)
        guard let relationship = property.relationship else {
            if property.attribute?.derivation != nil { throw derivedError(property, nil) }
            guard property.isTransient else { return property }
            throw BackstitchError(
                .invalidRequest, "a batch request cannot set \(self.name).\(name), which is transient and in no store",
                key: name)
        }
        if relationship.storage == .column, model.inverse(of: relationship).relationship?.isToMany == true {
            return property
        }
        throw BackstitchError(
            .invalidRequest,
            "a batch request cannot set \(self.name).\(name): it sets only to-one relationships with a to-many "
                + "inverse; change others through objects", key: name)
    }
}

extension ManagedObjectContext {
    /// Returns a constant in its form in rows of `entity`; adds the bytes of an external attribute to `assets`.
    func batchValue(
        _ value: Value, for property: ResolvedProperty, of entity: ResolvedEntity, _ assets: inout AssetContents
    ) throws -> Value {
        guard let attribute = property.attribute else {
            switch value {
            case .null: return .null
            case .object(let id) where id.entityName == property.destinationName: return value
            default:
                throw BackstitchError(
                    .invalidValue,
                    "\(entity.name).\(property.name) leads to \(property.destinationName) and cannot hold \(value.summary)",
                    key: property.name)
            }
        }
        do {
            let accepted = try attribute.accept(value)
            return coordinator.stored(accepted, property, &assets)
        } catch {
            guard error.code == .invalidValue else { throw error }
            throw BackstitchError(
                .invalidValue, "\(entity.name).\(error.message)", key: property.name, cause: error)
        }
    }
}
