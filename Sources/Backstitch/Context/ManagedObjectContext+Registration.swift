// One instance for each object.
extension ManagedObjectContext {
    func register(_ object: ManagedObject) {
        identityMap.register(object)
        unsaved.listIfLinksChanged(object)
    }

    func registeredObject(_ key: ObjectKey) -> ManagedObject? { identityMap[key] }

    /// The number of objects in memory.
    package var registeredObjectCount: Int { identityMap.count }

    /// Returns the instance for a row, and makes it if there is none. A loaded instance keeps its values.
    func object(for snapshot: RowSnapshot) -> ManagedObject {
        let key = snapshot.batch.keys[snapshot.row]
        guard let object = identityMap[key] else {
            return makeFirstObject(seed(for: snapshot, key), in: identityMap.table)
        }
        guard object.entity.isRelative(of: snapshot.batch.entity) else {
            return makeObject(for: snapshot, besides: object)
        }
        if object.isFault { fill(object, with: snapshot) }
        return object
    }

    /// Returns the object of a row when the context knows the same key from an object of another entity. The row is
    /// right: the other object has gone, or never existed. If the other object has unsaved changes, it stays, and its
    /// save is refused. Until then the row's object is not in the identity map.
    private func makeObject(for snapshot: RowSnapshot, besides other: ManagedObject) -> ManagedObject {
        let seed = seed(for: snapshot, snapshot.batch.keys[snapshot.row])
        guard other.isNew || other.hasChanges else {
            vanish(other)
            return makeObject(seed, in: identityMap.table)
        }
        let object = seed.entity.managedObjectClass.init(seed)
        object.awakeFromFetch()
        return object
    }

    /// Returns the instances for the rows of a batch, in their order.
    func objects(for batch: RowBatch) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(batch.count)
        let table = identityMap.table
        table.reserve(batch.count)
        var seed: ObjectInitializer?
        let isMixed = batch.entity.family != nil
        for (row, key) in batch.keys.enumerated() {
            if let object = table[key] {
                if !object.entity.isRelative(of: batch.entity) {
                    objects.append(makeObject(for: RowSnapshot(batch: batch, row: row), besides: object))
                    continue
                }
                if object.isFault { fill(object, with: RowSnapshot(batch: batch, row: row)) }
                objects.append(object)
            } else if let seed, !isMixed {
                seed.move(to: row, key)
                objects.append(makeObject(seed, in: table))
            } else {
                let next = self.seed(for: RowSnapshot(batch: batch, row: row), key)
                objects.append(makeFirstObject(next, in: table))
                seed = next
            }
        }
        return objects
    }

    private func seed(for snapshot: RowSnapshot, _ key: ObjectKey) -> ObjectInitializer {
        ObjectInitializer(
            entity: entity(of: snapshot), key: key, context: self, snapshot: snapshot, state: .persistent)
    }

    /// Makes the object of a row. It may be the first one of its class.
    private func makeFirstObject(_ seed: ObjectInitializer, in table: ObjectTable) -> ManagedObject {
        let object = makeObject(seed, in: table)
        seed.entity.classCheck.tellOnce(of: object)
        return object
    }

    /// Makes the object of a row that the context does not have yet.
    @inline(__always)
    private func makeObject(_ seed: ObjectInitializer, in table: ObjectTable) -> ManagedObject {
        let object = seed.entity.managedObjectClass.init(seed)
        table.insertNew(object)
        unsaved.listIfLinksChanged(object)
        tellOfFetch(object)
        return object
    }

    /// The entity of a row's object: the batch's entity, or a subentity of it.
    private func entity(of snapshot: RowSnapshot) -> ResolvedEntity {
        guard snapshot.batch.entity.family != nil else { return snapshot.batch.entity }
        return model.entity(named: snapshot.batch.entityName(at: snapshot.row)) ?? snapshot.batch.entity
    }

    func fill(_ object: ManagedObject, with snapshot: RowSnapshot) {
        object.snapshot = snapshot
        identityMap.noteRow(of: object)
        // The values changed here may have been written elsewhere too.
        for slot in object.edits?.changed.slots ?? []
        where object.edits?[slot] == snapshot.batch.value(snapshot.row, slot) {
            object.edits?.drop(slot)
            guard let relationship = object.entity.properties[slot].relationship else { continue }
            unsaved.forgetLinks(of: object.key, atEndsOf: model.inverse(of: relationship), relationship)
        }
        tellOfFetch(object)
    }

    /// Drops an object's values, to be read again when needed. Unsaved changes stay.
    func turnIntoFault(_ object: ManagedObject) {
        guard !object.isNew, object.state != .vanished else { return }
        let wasLoaded = object.snapshot != nil
        if object.hasUnwrittenOrders { reporting(()) { try object.writeOrders() } }
        object.snapshot = nil
        object.collections = [:]
        object.heldTargets = []
        identityMap.noteFault(object)
        if wasLoaded { tellOfFault(object) }
    }

    /// Marks an object as gone, without unsaved changes.
    ///
    /// - Parameter keepsLinks: Whether links that lead to it are still saved, if the store still has it.
    func vanish(_ object: ManagedObject, keepsLinks: Bool = false) {
        unsaved.forget(object, keepsLinks: keepsLinks)
        identityMap.unregister(object)
        object.state = .vanished
        object.snapshot = nil
        object.edits = nil
        object.transients = nil
        object.collections = [:]
        object.heldTargets = []
        object.hasUnwrittenOrders = false
    }

    /// Notes a change of an object: the property in that slot was set, or its links changed.
    func noteChange(of object: ManagedObject, at slot: Int) {
        notifier.noteChange(of: object, at: slot)
        unsaved.noteChange(of: object)
    }
}
