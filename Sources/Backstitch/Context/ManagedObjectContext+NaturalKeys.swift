extension ManagedObjectContext {
    /// Makes a new object with the values that identify it, see ``EntityDescription/identified(by:namespace:)``.
    ///
    /// ```swift
    /// let book = try context.insertObject(entityName: "Book", identifiedBy: ["isbn": "978-0-14-044913-6"])
    /// ```
    /// If the store has the object already, the save has a conflict and the ``mergePolicy`` decides. To look for the
    /// object first, call ``object(entityName:identifiedBy:)``.
    ///
    /// - Parameter values: A value for each attribute of the natural key, and for no other.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the model has no such entity, the entity has no natural
    ///   key, or the context has the object already; ``BackstitchError/Code/validation`` for a missing value;
    ///   ``BackstitchError/Code/invalidValue`` for a value that its attribute does not take.
    public func insertObject(entityName: String, identifiedBy values: [String: Value]) throws -> ManagedObject {
        let entity = try concrete(model.requireEntity(named: entityName))
        let object = try insertObject(keeping: identity(in: entity, of: values))
        try setIdentity(values, of: object)
        return object
    }

    /// Finds the object that values identify, in this context or in the store; nil if there is none.
    ///
    /// - Throws: As ``insertObject(entityName:identifiedBy:)``, except for an existing object; errors of the store.
    /// - Complexity: A look-up by key in the store, if the context does not have the object.
    public func object(entityName: String, identifiedBy values: [String: Value]) throws -> ManagedObject? {
        let id = try identity(in: model.requireEntity(named: entityName), of: values)
        do { return try existingObject(with: id) } catch let error as BackstitchError
            where error.code == .objectNotFound
        { return nil }
    }

    /// Returns the identity of the object that values identify. The object need not exist.
    ///
    /// - Throws: As ``insertObject(entityName:identifiedBy:)``.
    public func objectID(entityName: String, identifiedBy values: [String: Value]) throws -> ObjectID {
        try identity(in: model.requireEntity(named: entityName), of: values)
    }

    func seedForInsert(of type: ManagedObject.Type, identifiedBy values: [String: Value]) throws -> ObjectInitializer {
        try requireOpen()
        guard let entity = model.entity(for: type) else {
            throw BackstitchError(
                .invalidRequest, "no entity of the model has the class \(type); give one the class", key: "\(type)")
        }
        return try seedForInsert(of: entity, key: identity(in: concrete(entity), of: values).key)
    }

    func setIdentity(_ values: [String: Value], of object: ManagedObject) throws {
        for (name, value) in values { try object.setValue(value, forKey: name) }
    }

    private func identity(in entity: ResolvedEntity, of values: [String: Value]) throws -> ObjectID {
        let naturalKey = try entity.requireNaturalKey()
        if let other = values.keys.sorted().first(where: { !naturalKey.attributes.contains($0) }) {
            throw BackstitchError(
                .invalidRequest,
                "objects of \(entity.name) are identified by \(naturalKey.attributes.joined(separator: " and ")), not by "
                    + "\(other); set it afterwards", key: other)
        }
        return ObjectID(
            entityName: entity.name, key: try entity.identifiedKey(naturalKey) { values[$0] ?? .null })
    }
}

extension ManagedObject {
    /// Makes a new object in `context` with the values that identify it. Its entity is the entity of this class.
    ///
    /// ```swift
    /// let book = try Book(context: context, identifiedBy: ["isbn": "978-0-14-044913-6"])
    /// ```
    /// - Throws: As ``ManagedObjectContext/insertObject(entityName:identifiedBy:)``.
    public convenience init(context: ManagedObjectContext, identifiedBy values: [String: Value]) throws {
        self.init(try context.seedForInsert(of: Self.self, identifiedBy: values))
        context.adopt(self)
        try context.setIdentity(values, of: self)
    }

    /// The fault of an object whose values would identify another one; nil for none.
    final func identityFault() throws -> BackstitchError? {
        guard let naturalKey = entity.naturalKey, isNew || hasEditedIdentity(naturalKey) else { return nil }
        // The object was made before its entity was identified by values.
        if !isNew, !key.isMadeOfValues { return nil }
        let names = naturalKey.attributes.joined(separator: " and ")
        guard try entity.identifiedKey(naturalKey, { try value(forKey: $0) }) != key else { return nil }
        return BackstitchError(
            .validation,
            isNew
                ? "\(objectID) was made for other values of \(names) than it has; make it with "
                    + "insertObject(entityName:identifiedBy:)"
                : "\(objectID) is identified by its \(names), which cannot change: make a new object with the other "
                    + "values, and delete this one", objectID: objectID, key: naturalKey.attributes.first)
    }

    private final func hasEditedIdentity(_ naturalKey: NaturalKey) -> Bool {
        guard let changed = edits?.changed else { return false }
        return naturalKey.attributes.contains { name in entity.slot(of: name).map(changed.contains) ?? false }
    }
}
