extension ManagedObjectContext {
    /// Judges new and changed objects by the model, and these and deleted ones by their own rules
    /// (``ManagedObject/validate()``).
    ///
    /// - Throws: ``BackstitchError/Code/validation`` with every fault of every object.
    func validateChanges() throws {
        var faults: [BackstitchError] = []
        for object in insertedObjects + updatedObjects where object.state != .deleted {
            faults += try modelFaults(of: object)
            if let fault = ownFault(of: object) { faults.append(fault) }
        }
        for object in deletedObjects {
            if let fault = ownFault(of: object) { faults.append(fault) }
        }
        faults += try countFaults()
        try throwDeferredError(isSave: true)
        try Self.refuse(faults)
    }

    /// Judges a new or changed object as a save does.
    ///
    /// - Throws: What its ``ManagedObject/validate()`` throws; ``BackstitchError/Code/validation`` with every fault
    ///   where it breaks rules of the model.
    func validate(_ object: ManagedObject) throws {
        // The save has asked for the model's rules already.
        guard judged !== object, object.state == .inserted || object.state == .persistent else {
            return try object.validate()
        }
        let faults = try modelFaults(of: object), counts = try countFaults(of: object)
        if faults.isEmpty, counts.isEmpty { return try object.validate() }
        let own = object.fault(by: object.validate)
        try Self.refuse(faults + (own.map { [$0] } ?? []) + counts)
    }

    /// Judges an object that is to be deleted, or is going to be.
    ///
    /// - Throws: ``BackstitchError/Code/deleteDenied`` where a rule keeps it, or an object that would go with it.
    func validateDeletion(of object: ManagedObject) throws {
        guard judged !== object, object.state != .vanished else { return }
        try DeletePropagation(self).judge(object)
    }

    private static func refuse(_ faults: [BackstitchError]) throws {
        guard !faults.isEmpty else { return }
        throw BackstitchError.combining(
            faults, code: .validation, summary: "\(faults.count) values keep the objects from being saved:")
    }

    /// The faults of an object by the rules of the model for its values.
    private func modelFaults(of object: ManagedObject) throws -> [BackstitchError] {
        var faults = try object.missingProperties().map { name in
            BackstitchError(
                .validation,
                "\(object.objectID) needs a value for \(name); set it before the save, or give it a default or make it optional in the "
                    + "model", objectID: object.objectID, key: name)
        }
        if let fault = try object.identityFault() { faults.append(fault) }
        for rule in model.rules[object.entity.index] {
            if let fault = try rule.fault(of: object) { faults.append(fault) }
        }
        return faults
    }

    /// The error by which the object's own rules refuse the save; nil when they allow it.
    private func ownFault(of object: ManagedObject) -> BackstitchError? {
        judged = object
        defer { judged = nil }
        return object.fault {
            if object.state == .deleted {
                try object.validateForDelete()
            } else if object.isNew {
                try object.validateForInsert()
            } else {
                try object.validateForUpdate()
            }
        }
    }
}

// How many objects relationships have.
extension ManagedObjectContext {
    /// Loads objects of which relationships that the model limits were changed from the other end, while they were not
    /// in memory: as changed objects they are judged from then on, as they are in memory.
    ///
    /// - Complexity: One statement for each entity with such objects.
    func loadJudgedEnds() throws {
        var keys: [Int: [ObjectKey]] = [:]
        for end in unsaved.links.deltas.keys {
            let property = model.entities[end.entityIndex].properties[end.slot]
            guard let description = property.relationship?.description,
                !description.isOptional || description.countRange != nil, registeredObject(end.key) == nil
            else { continue }
            keys[end.entityIndex, default: []].append(end.key)
        }
        for (entity, keys) in keys { _ = try existing(keys, of: model.entities[entity]) }
    }

    /// The counts of new objects, and of relationships that have changed, that are not what the model allows.
    private func countFaults() throws -> [BackstitchError] {
        var faults: [BackstitchError] = []
        for object in insertedObjects { faults += try countFaults(of: object) }
        for end in unsaved.links.deltas.keys {
            let property = model.entities[end.entityIndex].properties[end.slot]
            guard property.relationship?.description.countRange != nil else { continue }
            for object in try existing([end.key], of: model.entities[end.entityIndex])
            where !object.isNew && !object.isGone {
                if let fault = try countFault(property, of: object) { faults.append(fault) }
            }
        }
        return faults
    }

    /// Those of one object.
    private func countFaults(of object: ManagedObject) throws -> [BackstitchError] {
        try object.entity.countedProperties.compactMap { property in
            guard object.isNew || unsaved.links.deltas[LinkEnd(object, property)] != nil else { return nil }
            return try countFault(property, of: object)
        }
    }

    private func countFault(_ property: ResolvedProperty, of object: ManagedObject) throws -> BackstitchError? {
        guard let range = property.relationship?.description.countRange, !object.isGone else { return nil }
        let count = try object.destinations(of: property).filter { !$0.isGone }.count
        if range.contains(count) { return nil }
        return BackstitchError(
            .validation,
            "\(object.objectID) has \(count) objects in \(property.name), and may have "
                + "\(range.lowerBound) to \(range.upperBound)", objectID: object.objectID, key: property.name)
    }
}

extension ManagedObject {
    /// The error by which rules of the object's own refuse the save; nil when they allow it.
    fileprivate final func fault(by rules: () throws -> Void) -> BackstitchError? {
        do {
            try rules()
            return nil
        } catch let error as BackstitchError { return error } catch {
            return BackstitchError(
                .validation, "\(objectID) is not valid\(state == .deleted ? " to be deleted" : ""): \(error)",
                objectID: objectID, cause: error)
        }
    }

    /// Names of the properties that must have a value and have none.
    fileprivate final func missingProperties() throws -> [String] {
        if entity.requiredProperties.isEmpty
            || isNew && edits?.hasAll(entity.requiredColumns) == true
                && entity.requiredProperties.count == entity.requiredColumns.count
        {
            return []
        }
        return try entity.requiredProperties.filter { property in
            if property.attribute != nil { return try value(of: property).isNull }
            if property.relationship?.storage == .column { return try value(ofColumn: property.slot).isNull }
            return try destinations(of: property).isEmpty
        }.map(\.name)
    }
}
