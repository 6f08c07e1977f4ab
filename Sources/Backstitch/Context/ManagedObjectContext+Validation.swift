extension ManagedObjectContext {
    /// Judges new and changed objects by the model and by their own ``ManagedObject/validate()``.
    ///
    /// - Throws: ``BackstitchError/Code/validation`` with every fault of every object.
    func validateChanges() throws {
        var faults: [BackstitchError] = []
        for object in insertedObjects + updatedObjects where object.state != .deleted {
            faults += try object.missingProperties().map { name in
                BackstitchError(
                    .validation, "\(object.objectID) needs a value for \(name)", objectID: object.objectID, key: name)
            }
            do { try object.validate() } catch let error as BackstitchError { faults.append(error) } catch {
                faults.append(
                    BackstitchError(
                        .validation, "\(object.objectID) is not valid: \(error)", objectID: object.objectID,
                        cause: error))
            }
        }
        try throwDeferredError()
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .validation, summary: "\(faults.count) values keep the objects from being saved:")
        }
    }
}

extension ManagedObject {
    /// Names of the properties that must have a value and have none.
    fileprivate final func missingProperties() throws -> [String] {
        try entity.ownProperties.filter { property in
            if let attribute = property.attribute {
                return try !attribute.isOptional && value(of: property).isNull
            }
            guard let relationship = property.relationship, !relationship.description.isOptional else { return false }
            if relationship.storage == .column { return try value(ofColumn: property.slot).isNull }
            return try destinations(of: property).isEmpty
        }.map(\.name)
    }
}
