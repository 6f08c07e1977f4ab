extension ManagedObjectContext {
    /// Whether a save would write anything.
    public var hasChanges: Bool {
        !inserted.isEmpty || !deleted.isEmpty || !linkDeltas.isEmpty || updated.contains(where: \.hasChanges)
    }

    /// New objects, in the order of their creation.
    public var insertedObjects: [ManagedObject] { inserted.values.sortedByKey }
    /// Objects with unsaved changes, in the order of their creation.
    public var updatedObjects: [ManagedObject] { updated.values.filter(\.hasChanges).sortedByKey }
    /// Objects to delete, in the order of their creation.
    public var deletedObjects: [ManagedObject] { Array(deleted.values).sortedByKey }

    /// Makes a new object of the entity of that name.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the model has no such entity, or the context's work has ended.
    public func insertObject(entityName: String) throws -> ManagedObject {
        try requireOpen()
        let object = try make(
            concrete(model.requireEntity(named: entityName)), key: coordinator.generator.next(), .inserted)
        insert(object)
        return object
    }

    /// Makes a new object with an identity that the caller chose: one derived from a natural key, for instance.
    ///
    /// - Throws: As ``insertObject(entityName:)``, and when the context has an object of that identity already. One that only the
    ///   store has is found by the save.
    public func insertObject(with id: ObjectID) throws -> ManagedObject {
        try requireOpen()
        let entity = try concrete(model.requireEntity(named: id.entityName))
        guard registeredObject(id.key) == nil else {
            throw BackstitchError(.invalidRequest, "the context has an object \(id) already", objectID: id)
        }
        let object = make(entity, key: id.key, .inserted)
        insert(object)
        return object
    }

    /// Has the next save delete an object, and what its delete rules ask for. Its values can be read until then.
    public func delete(_ object: ManagedObject) {
        reporting(()) {
            try requireOpen()
            guard object.context === self else {
                throw BackstitchError(
                    .invalidRequest, "\(object.objectID) belongs to another context", objectID: object.objectID)
            }
            try markDeleted(object)
        }
    }

    /// Has the next save delete an object, unless that is so already.
    func markDeleted(_ object: ManagedObject) throws {
        guard !object.isDeleted else { return }
        object.prepareForDeletion()
        guard !object.isDeleted else { return }
        if let undoManager { undoManager.record(.deleted(object, try ObjectImage(object))) }
        object.state = .deleted
        deleted[object.key] = object
        object.toldTurn = 0
        tell { $0.noteDeletion(of: object) }
    }

    /// Makes an object that was to be deleted what it was before.
    func takeBackDeletion(of object: ManagedObject) {
        object.state = object.isNew ? .inserted : .persistent
        deleted[object.key] = nil
        undoManager?.record(.inserted(object))
        object.toldTurn = 0
        tell { $0.noteReturn(of: object) }
    }

    /// The object of an identity, as a fault if it is not loaded. Whether it exists shows when a value is read.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the model has no such entity.
    public func object(with id: ObjectID) throws -> ManagedObject {
        if let object = registeredObject(for: id) { return object }
        let entity = try model.requireEntity(named: id.entityName)
        // Only the row tells which of several entities the object is of.
        if entity.isMixed, let object = try existing([id.key], of: entity).first { return object }
        return try fault(for: id)
    }

    /// The object of an identity that names its very entity, not one above it; asks no store.
    func fault(for id: ObjectID) throws -> ManagedObject {
        if let object = registeredObject(id.key) { return object }
        let object = make(try model.requireEntity(named: id.entityName), key: id.key, .persistent)
        register(object)
        return object
    }

    /// The object of an identity, loaded.
    ///
    /// - Throws: ``BackstitchError/Code/objectNotFound`` when the store has no such object; what the store throws.
    public func existingObject(with id: ObjectID) throws -> ManagedObject {
        try prepareRequest()
        let found: ManagedObject?
        if registeredObject(id.key) == nil {
            // Not by way of a fault: it would be noted as one and taken out again, and bring others along.
            let entity = try model.requireEntity(named: id.entityName)
            found = try reading().row(of: entity, key: id.key).map { object(for: $0) }
        } else {
            let object = try object(with: id)
            found = try object.isNew || object.loadedSnapshot() != nil ? object : nil
        }
        guard let found else {
            throw BackstitchError(.objectNotFound, "the store has no object \(id)", objectID: id)
        }
        return found
    }

    /// The instance of an identity if the context has one; asks no store.
    public func registeredObject(for id: ObjectID) -> ManagedObject? {
        registeredObject(id.key).flatMap {
            $0.entity.name == id.entityName || $0.entity.lineage.contains(id.entityName) ? $0 : nil
        }
    }

    func insert(_ object: ManagedObject) {
        guard object.state == .inserted else { return }
        register(object)
        inserted.insert(object)
        undoManager?.record(.inserted(object))
        tell { $0.newcomers.insert(object) }
        object.toldTurn = turn
        object.awakeFromInsert()
    }

    /// What `init(context:)` starts from. A class without an entity gives an object that is in no store.
    func seedForInsert(of type: ManagedObject.Type) -> ObjectSeed {
        let entity = reporting(nil) {
            try requireOpen()
            if let entity = model.entity(for: type) { return Optional(try concrete(entity)) }
            let classes = model.entities.map { "\($0.name) (\($0.managedObjectClass))" }.joined(separator: ", ")
            throw BackstitchError(
                .invalidRequest, "no entity of the model has the class \(type); the model has \(classes)",
                key: "\(type)")
        }
        return ObjectSeed(
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
            ObjectSeed(entity: entity, key: key, context: self, snapshot: nil, state: state))
    }
}

extension ResolvedEntity {
    /// The entity of objects that have none: no properties, in no model.
    static let none = ResolvedEntity(
        name: "", index: -1, properties: [], columnCount: 0, managedObjectClass: ManagedObject.self)
}
