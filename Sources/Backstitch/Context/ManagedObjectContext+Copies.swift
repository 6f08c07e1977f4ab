extension ManagedObjectContext {
    /// Copies an object to another store of the coordinator: its attributes, and its links to objects that exist there
    /// as well. The original stays as it is. The copy is a separate object with its own identity, and the next save
    /// stores it.
    ///
    /// ```swift
    /// let copy = try context.copy(recipe, to: publicStore)
    /// for (relationship, ids) in copy.omittedLinks { print(relationship, "of the copy lacks", ids) }
    /// try context.save()
    /// ```
    /// The natural key identifies an object in the other store. It is the first unique constraint of the entity that
    /// has only attributes and no nil value (`EntityDescription("Tag", unique: [["name"]], …)`). If the other store has
    /// an object with the key of the original, this object takes the attributes and the links. A second copy therefore
    /// updates the first one.
    ///
    /// Derived and transient attributes are not copied. The bytes of external attributes are read; bytes that are not
    /// on this device are read as nil.
    ///
    /// - Parameter object: An object of this context.
    /// - Parameter store: A store of the coordinator that holds the object's entity, and is not the object's own store.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an unsuitable store, for a deleted object, and for an
    ///   object of another context. The first copy of an object that is identified by its values throws it as well.
    ///   Errors of the stores are thrown too. The context may then hold the unsaved copy without all of its values.
    /// - Complexity: A fetch for each linked object with a natural key.
    public func copy<Object: ManagedObject>(
        _ object: Object, to store: any PersistentStore
    ) throws -> ObjectCopy<Object> {
        guard object.managedObjectContext === self, !object.isDeleted else {
            throw BackstitchError(
                .invalidRequest,
                "\(object.objectID) is not an object of this context, or was deleted, and cannot be copied",
                objectID: object.objectID)
        }
        guard try !isStored(object, in: store) else {
            throw BackstitchError(
                .invalidRequest, "\(object.objectID) is in that store already; name another one",
                objectID: object.objectID)
        }
        let copy = try counterpart(of: object, in: store) as? Object ?? insertedCopy(of: object, in: store)
        for property in object.entity.ownProperties {
            guard let attribute = property.attribute, !property.isTransient, attribute.derivation == nil else {
                continue
            }
            try copy.setValue(try object.value(forKey: property.name), forKey: property.name)
        }
        var omitted: [String: [ObjectID]] = [:]
        for property in object.entity.relationships {
            let name = property.name
            let targets = try linked(object, by: property)
            let found = try targets.map { ($0.objectID, try counterpart(of: $0, in: store)) }
            try link(copy, to: found.compactMap(\.1), by: property)
            let missing = found.filter { $0.1 == nil }.map(\.0)
            if !missing.isEmpty { omitted[name] = missing }
        }
        return ObjectCopy(object: copy, omittedLinks: omitted)
    }

    private func insertedCopy<Object: ManagedObject>(
        of object: Object, in store: any PersistentStore
    ) throws -> Object {
        if object.entity.naturalKey != nil {
            throw BackstitchError(
                .invalidRequest,
                "\(object.objectID) is identified by its values, so a copy in another store would be the same object; "
                    + "leave .identified(by:) out for entities that are copied, and give them a unique constraint",
                objectID: object.objectID)
        }
        let made = try insertObject(entityName: object.entity.name)
        do { try assign(made, to: store) } catch {
            delete(made)
            throw error
        }
        guard let copy = made as? Object else {
            throw BackstitchError(
                .internalInconsistency, "an object of \(object.entity.name) is not a \(Object.self)",
                objectID: made.objectID)
        }
        return copy
    }

    private func linked(_ object: ManagedObject, by property: ResolvedProperty) throws -> [ManagedObject] {
        if property.relationship?.isToMany == true { return try object.objects(forKey: property.name) }
        guard case .object(let id) = try object.value(forKey: property.name) else { return [] }
        return [try self.object(with: id)]
    }

    private func link(_ copy: ManagedObject, to objects: [ManagedObject], by property: ResolvedProperty) throws {
        guard let relationship = property.relationship, relationship.isToMany else {
            return try copy.setObject(objects.first, forKey: property.name)
        }
        if relationship.description.isOrdered { return try copy.setObjects(objects, forKey: property.name) }
        let before = Set(try copy.objects(forKey: property.name)), after = Set(objects)
        for object in before.subtracting(after) { try copy.remove(object, from: property.name) }
        for object in objects where !before.contains(object) { try copy.add(object, to: property.name) }
    }

    private func isStored(_ object: ManagedObject, in store: any PersistentStore) throws -> Bool {
        try store.rows(of: object.entity, keys: [object.objectID.key]).count > 0
    }

    /// Returns the object of a store with the natural key of this object; nil if there is none, or no key.
    private func counterpart(of object: ManagedObject, in store: any PersistentStore) throws -> ManagedObject? {
        for constraint in object.entity.uniquenessConstraints {
            let properties = constraint.map { object.entity.properties[$0] }
            guard properties.allSatisfy({ $0.attribute != nil }) else { continue }
            let values = try properties.map { try object.value(forKey: $0.name) }
            guard !values.contains(.null) else { continue }
            var request = FetchRequest<ManagedObject>(
                entityName: object.entity.name,
                predicate: .and(
                    zip(properties, values).map { property, value in
                        .comparison(.init(.keyPath(FetchKeyPath(names: [property.name])), .equal, .value(value)))
                    }), limit: 1)
            request.affectedStores = [store]
            return try fetch(request).first
        }
        return nil
    }
}
