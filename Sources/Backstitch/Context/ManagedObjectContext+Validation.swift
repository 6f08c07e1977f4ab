extension ManagedObjectContext {
    /// Validates new and changed objects by the model. New, changed and deleted objects are also validated by their own
    /// rules (``ManagedObject/validate()``).
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

    /// Validates a new or changed object as a save does.
    ///
    /// - Throws: Errors of its ``ManagedObject/validate()``; ``BackstitchError/Code/validation`` with every fault if it
    ///   breaks rules of the model.
    func validate(_ object: ManagedObject) throws {
        // The save has checked the model's rules already.
        guard judged !== object, object.state == .inserted || object.state == .persistent else {
            return try object.validate()
        }
        let faults = try modelFaults(of: object), counts = try countFaults(of: object)
        if faults.isEmpty, counts.isEmpty { return try object.validate() }
        let own = object.fault(by: object.validate)
        try Self.refuse(faults + (own.map { [$0] } ?? []) + counts)
    }

    /// Checks whether an object may be deleted, whether it is marked already or not.
    ///
    /// - Throws: ``BackstitchError/Code/deleteDenied`` if a rule keeps the object, or an object that would be deleted
    ///   with it.
    func validateDeletion(of object: ManagedObject) throws {
        guard judged !== object, object.state != .vanished else { return }
        try DeletePropagation(self).judge(object)
    }

    private static func refuse(_ faults: [BackstitchError]) throws {
        guard !faults.isEmpty else { return }
        throw BackstitchError.combining(
            faults, code: .validation, summary: "\(faults.count) values are not valid, so the objects cannot be saved:")
    }

    /// Returns the faults of an object's values by the rules of the model.
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

    /// Returns the error of the object's own rules; nil when they allow the save.
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

// The number of objects in relationships.
extension ManagedObjectContext {
    /// Loads objects whose limited relationships were changed from the other end while the objects were not in memory.
    /// They then count as changed, and are validated as such.
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

    /// Returns a fault for each relationship whose number of objects the model forbids. It checks new objects and
    /// changed relationships.
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

    /// Returns the faults in the counts of one object.
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
    /// Returns the error of `rules`; nil when they allow the save.
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

    /// Names of the required properties without a value.
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
