extension ManagedObjectContext {
    /// Whether a save would write anything.
    public var hasChanges: Bool {
        takeOutNewcomers()
        return unsaved.hasChanges
    }

    /// New objects, in the order of their creation.
    public var insertedObjects: [ManagedObject] {
        takeOutNewcomers()
        return unsaved.inserted.sortedByKey
    }

    /// Objects with unsaved changes, in the order of their creation.
    public var updatedObjects: [ManagedObject] {
        takeOutNewcomers()
        return unsaved.updated.filter(\.hasChanges).sortedByKey
    }

    /// Objects to delete, in the order of their creation.
    public var deletedObjects: [ManagedObject] {
        takeOutNewcomers()
        return Array(unsaved.deleted.objects).sortedByKey
    }

    /// Makes a new object of the named entity.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the model has no such entity, the entity is abstract, its
    ///   objects are identified by values (``insertObject(entityName:identifiedBy:)``), or the context's work has
    ///   ended.
    public func insertObject(entityName: String) throws -> ManagedObject {
        try requireOpen()
        let entity = try concrete(model.requireEntity(named: entityName))
        if let error = entity.missingIdentity { throw error }
        let object = make(entity, key: coordinator.generator.next(), .inserted)
        adopt(object)
        return object
    }

    /// Makes a new object with an identity that the caller chose: one derived from a natural key, for instance.
    ///
    /// Within a store, no two objects have the same key, even across entities. If the next save deletes an object with
    /// that identity, its delete rules are carried out and the new object takes its place. The save then updates the
    /// row, and resets values that are not set. History and other devices are told of an update.
    ///
    /// - Throws: As ``insertObject(entityName:)``, and when the context has an object of the same key that stays. If
    ///   only the store has such an object, the save finds it. ``BackstitchError/Code/deleteDenied`` when an object
    ///   that makes way may not be deleted.
    public func insertObject(with id: ObjectID) throws -> ManagedObject {
        let object = try insertObject(keeping: id)
        unsaved.givesKeys = true
        return object
    }

    /// Does the same without a note of given keys. Stores recognise some given keys by themselves, and the generator
    /// has made the others before.
    func insertObject(keeping id: ObjectID) throws -> ManagedObject {
        try requireOpen()
        let entity = try concrete(model.requireEntity(named: id.entityName))
        let object = entity.managedObjectClass.init(try seedForInsert(of: entity, key: id.key))
        adopt(object)
        return object
    }

    /// The seed of a new object with a given identity.
    func seedForInsert(of entity: ResolvedEntity, key: ObjectKey) throws -> ObjectInitializer {
        let snapshot = try makeWay(for: key, of: entity)
        return ObjectInitializer(
            entity: entity, key: key, context: self, snapshot: snapshot,
            state: snapshot == nil ? .inserted : .persistent)
    }

    /// Returns the object of an identity, as a fault if it is not loaded. The first read of a value shows whether it
    /// exists.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the model has no such entity;
    ///   ``BackstitchError/Code/objectNotFound`` when an object of another entity has the key.
    public func object(with id: ObjectID) throws -> ManagedObject {
        if let object = registeredObject(for: id) { return object }
        let entity = try model.requireEntity(named: id.entityName)
        guard entity.isMixed, let object = try existing([id.key], of: entity).first else { return try fault(for: id) }
        // Only the row tells the object's entity among several. Its values are not asked for.
        turnIntoFault(object)
        return object
    }

    /// Returns the object of an identity that names its exact entity, not a parent entity. The store is asked only
    /// about a fault of another entity with the same key.
    func fault(for id: ObjectID) throws -> ManagedObject {
        let entity = try model.requireEntity(named: id.entityName)
        if let object = registeredObject(id.key) {
            if object.entity.isRelative(of: entity) { return object }
            // An object that was never read may have no row.
            if object.isFault, !object.isNew { try fire(object) }
            guard object.state == .vanished else { throw notFound(id, insteadOf: object.objectID) }
        }
        let object = make(entity, key: id.key, .persistent)
        register(object)
        return object
    }

    /// Returns the object of an identity, loaded.
    ///
    /// - Throws: ``BackstitchError/Code/objectNotFound`` when the store has no such object; errors of the store.
    public func existingObject(with id: ObjectID) throws -> ManagedObject {
        try prepareRequest()
        takeOutNewcomers()
        let entity = try model.requireEntity(named: id.entityName)
        var found = registeredObject(id.key).flatMap { $0.entity.isRelative(of: entity) ? $0 : nil }
        if found == nil {
            // No fault is made for it: the fault would be registered and removed again, and would load other faults
            // too.
            found = try reading().snapshot(of: entity, key: id.key).map { object(for: $0) }
        } else {
            if let object = found, object.entity.name != id.entityName { found = try self.object(with: id) }
            if let object = found, !object.isNew, try object.loadedSnapshot() == nil { found = nil }
        }
        guard let found else { throw notFound(id) }
        return found
    }

    private func notFound(_ id: ObjectID, insteadOf other: ObjectID? = nil) -> BackstitchError {
        let reason =
            other.map { "\($0) has its key" } ?? "it was deleted, or not saved yet, or the id belongs to another store"
        return BackstitchError(
            .objectNotFound,
            "the store has no object \(id): \(reason); look it up with a fetch if it may be missing", objectID: id)
    }

    /// Returns the context's instance of an identity; nil if it has none. It asks no store.
    public func registeredObject(for id: ObjectID) -> ManagedObject? {
        takeOutNewcomers()
        return registeredObject(id.key).flatMap {
            $0.entity.name == id.entityName || $0.entity.lineage.contains(id.entityName) ? $0 : nil
        }
    }

    /// Adds a new object to the context and to its unsaved objects.
    func adopt(_ object: ManagedObject) {
        if object.state == .persistent { return insertAgain(object) }
        guard object.state == .inserted else { return }
        object.entity.classCheck.tellOnce(of: object)
        register(object)
        unsaved.insert(object)
        undoManager?.record(.inserted(object))
        notifier.noteInsertion(of: object)
        object.awakeFromInsert()
    }

    /// Returns the seed for `init(context:)`. A class without an entity gives an object outside every store.
    func seedForInsert(of type: ManagedObject.Type) -> ObjectInitializer {
        let entity = reporting(nil) {
            try requireOpen()
            if let entity = model.entity(for: type) {
                if let error = entity.missingIdentity { throw error }
                return Optional(try concrete(entity))
            }
            let classes = model.entities.map { "\($0.name) (\($0.managedObjectClass))" }.joined(separator: ", ")
            throw BackstitchError(
                .invalidRequest,
                "no entity of the model has the class \(type), so its object cannot be saved; give one the class, or make objects with "
                    + "insertObject(entityName:). The model has \(classes)", key: "\(type)")
        }
        return ObjectInitializer(
            entity: entity ?? .none, key: coordinator.generator.next(), context: self, snapshot: nil,
            state: entity == nil ? .vanished : .inserted)
    }

    func concrete(_ entity: ResolvedEntity) throws -> ResolvedEntity {
        guard entity.isAbstract else { return entity }
        throw BackstitchError(
            .invalidRequest,
            "\(entity.name) is abstract and has no objects of its own; make one of "
                + entity.subentityNames.joined(separator: ", "), key: entity.name)
    }

    private func make(_ entity: ResolvedEntity, key: ObjectKey, _ state: ManagedObject.State) -> ManagedObject {
        entity.managedObjectClass.init(
            ObjectInitializer(entity: entity, key: key, context: self, snapshot: nil, state: state))
    }
}

extension ResolvedEntity {
    /// The entity of objects without an entity: no properties, in no model.
    static let none = ResolvedEntity(
        name: "", index: -1, properties: [], columnCount: 0, managedObjectClass: ManagedObject.self)
}
