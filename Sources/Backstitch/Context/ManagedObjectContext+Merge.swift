extension ManagedObjectContext {
    /// Merges changes that other contexts, another process or sync made in the store. If this is a child context, its
    /// parent merges them first.
    ///
    /// - Updated objects read their new values at their next use, with unsaved changes laid over them.
    /// - Deleted objects vanish, unless they have unsaved changes (see ``MergePolicy``).
    /// - Inserted objects are registered as faults, until ``processPendingChanges()`` or as long as the program holds
    ///   them.
    /// - Loaded to-many relationships are read anew if they may have changed. So are the coordinator's shared rows.
    ///
    /// Contexts of a container merge the saves of the container's other contexts by themselves.
    ///
    /// - Complexity: O(changes + loaded collections). No statement, except one for the new objects of each entity that
    ///   has subentities.
    public func merge(_ changes: StoreChanges) {
        guard !changes.isEmpty, !isClosed else { return }
        coordinator.cache.invalidate(changes)
        parent?.merge(changes)
        takeIn(changes)
        registerArrivals(changes.inserted)
    }

    /// Registers new objects, so that a program finds the objects it was told of.
    private func registerArrivals(_ ids: [ObjectID]) {
        let unknown = ids.filter { registeredObject($0.key) == nil }
        arrivals = reporting([]) {
            try Dictionary(grouping: unknown, by: \.entityName).flatMap { name, ids -> [ManagedObject] in
                guard let entity = model.entity(named: name) else { return [] }
                // Only the row tells the object's entity among several.
                return entity.isMixed ? try existing(ids.map(\.key), of: entity) : try ids.map { try fault(for: $0) }
            }
        }
    }

    /// Takes in changes of the store or parent below the context. The layer below reported them, or it is read anew.
    ///
    /// - Parameter areOwn: Whether this context has made them itself, without a save.
    func takeIn(_ changes: StoreChanges, areOwn: Bool = false) {
        guard !changes.isEmpty, !isClosed else { return }
        forgetOrders()
        unsaved.doubtLinks()
        notifier.noteProperties(of: changes, in: model)
        var unregistered = changes
        unregistered.updated.removeAll { merge(updated: $0, changes, areOwn) }
        unregistered.inserted.removeAll { merge(updated: $0, changes, areOwn) }
        unregistered.deleted.removeAll { merge(deleted: $0, areOwn) }
        if !unregistered.isEmpty { notifier.noteUnregistered(unregistered) }
        let objects = identityMap.objectsWithCollections
        if objects.isEmpty { return }
        let names = Set((changes.inserted + changes.updated + changes.deleted).map(\.entityName))
        let touched = Set(names.flatMap { [$0] + (model.entity(named: $0)?.lineage ?? []) })
        for object in objects {
            for slot in object.collections.keys {
                let property = object.entity.properties[slot]
                let owner = object.entity.name
                if touched.contains(property.destinationName) || touched.contains(owner) {
                    if unsaved.mayHaveStoredLinks(object) { object.collections[slot] = nil }
                }
            }
        }
    }

    /// Merges an update into an object in memory, and returns whether there is one. The object reads its new values at
    /// its next use. An object to be deleted stays as it was read: its deletion and the update are in dispute.
    private func merge(updated id: ObjectID, _ changes: StoreChanges, _ areOwn: Bool) -> Bool {
        guard let object = registeredObject(id.key) else { return false }
        if object.state == .deleted, !object.isNew, !areOwn {
            if changes.mayChangeColumns(of: object.entity) { unsaved.dispute(object) }
            return true
        }
        if object.isNew, unsaved.isDisputed(object) { regainRow(of: object) }
        readAnew(object)
        notifier.noteRefresh(of: object)
        return true
    }

    /// Merges a deletion into an object in memory, and returns whether there is one. The object vanishes, unless it has
    /// unsaved changes or is new here.
    private func merge(deleted id: ObjectID, _ areOwn: Bool) -> Bool {
        guard let object = registeredObject(id.key) else { return false }
        guard !object.isNew else { return true }
        if areOwn { vanish(object) } else { loseRow(of: object) }
        if object.state == .vanished { notifier.noteDeletion(of: object) } else { notifier.noteRefresh(of: object) }
        return true
    }

    /// Merges changes made since the last merge, elsewhere or in the parent context; see
    /// ``automaticallyMergesChangesFromParent``. A parent that merges by itself does so first.
    public func mergeChangesFromParent() {
        if let parent {
            parent.followParent()
            parent.notifier.tellChildren(of: parent)
        }
        while let changes = mailbox.take() { takeIn(changes) }
        advanceGeneration()
    }

    /// Merges waiting changes, if the context does so by itself. A context that is pinned to a state stays there.
    func followParent() {
        if generation == nil, automaticallyMergesChangesFromParent { mergeChangesFromParent() }
    }

    /// Calls ``merge(_:)`` on several contexts. They must belong to the caller's thread or actor.
    public static func mergeChanges(fromRemoteContextSave changes: StoreChanges, into contexts: [ManagedObjectContext])
    {
        for context in contexts { context.merge(changes) }
    }
}

extension StoreChanges {
    /// Whether rows of updated objects may have changed, and not only links that are stored apart from rows.
    fileprivate func mayChangeColumns(of entity: ResolvedEntity) -> Bool {
        guard let names = changedProperties?[entity.name] else { return true }
        return names.contains { entity.property(named: $0)?.isColumn ?? true }
    }
}
