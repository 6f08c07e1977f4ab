extension ManagedObjectContext {
    /// Takes in what other contexts, another process or a sync have changed in the store; a child context after its
    /// parent, which does the same.
    ///
    /// Changed objects read their new values when they are next used, with unsaved changes laid over them; deleted
    /// ones vanish, unless they have unsaved changes (see ``MergePolicy``); new ones are registered, as faults, until
    /// ``processPendingChanges()`` or as long as somebody holds them; loaded to-many relationships that may have
    /// changed are read anew, and so are rows that the coordinator shares. Contexts of a container do this by
    /// themselves for what the container's other contexts save.
    ///
    /// - Complexity: O(changes + loaded collections); no statement, but one for the new objects of each entity that has
    ///   others below it.
    public func merge(_ changes: StoreChanges) {
        guard !changes.isEmpty, !isClosed else { return }
        coordinator.cache.invalidate(changes)
        parent?.merge(changes)
        takeIn(changes)
        registerArrivals(changes.inserted)
    }

    /// Has new objects registered, so that a program finds those that it was told of.
    private func registerArrivals(_ ids: [ObjectID]) {
        let unknown = ids.filter { registeredObject($0.key) == nil }
        arrivals = reporting([]) {
            try Dictionary(grouping: unknown, by: \.entityName).flatMap { name, ids -> [ManagedObject] in
                guard let entity = model.entity(named: name) else { return [] }
                // Only the row tells of which of several entities the object is.
                return entity.isMixed ? try existing(ids.map(\.key), of: entity) : try ids.map { try fault(for: $0) }
            }
        }
    }

    /// Takes in changes of what lies below, which has told of them or is read anew.
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

    /// Whether the object is in memory; it reads its new values when it is next used. One that is to be deleted stays
    /// as it was read: its deletion and the change are in dispute.
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

    /// Whether the object is in memory; it vanishes, unless it has unsaved changes or is new here.
    private func merge(deleted id: ObjectID, _ areOwn: Bool) -> Bool {
        guard let object = registeredObject(id.key) else { return false }
        guard !object.isNew else { return true }
        if areOwn { vanish(object) } else { loseRow(of: object) }
        if object.state == .vanished { notifier.noteDeletion(of: object) } else { notifier.noteRefresh(of: object) }
        return true
    }

    /// Takes in what others, or the parent context, have changed since the last time; see
    /// ``automaticallyMergesChangesFromParent``. A parent that merges by itself does so before.
    public func mergeChangesFromParent() {
        if let parent {
            parent.followParent()
            parent.notifier.tellChildren(of: parent)
        }
        while let changes = mailbox.take() { takeIn(changes) }
        advanceGeneration()
    }

    /// Takes in what waits, if the context does so by itself. One that is pinned to a state stays there.
    func followParent() {
        if generation == nil, automaticallyMergesChangesFromParent { mergeChangesFromParent() }
    }

    /// ``merge(_:)`` in several contexts, which must be the caller's: they belong to its thread or actor.
    public static func mergeChanges(fromRemoteContextSave changes: StoreChanges, into contexts: [ManagedObjectContext])
    {
        for context in contexts { context.merge(changes) }
    }
}

extension StoreChanges {
    /// Whether rows of updated objects may have changed, and not only links that are kept by themselves.
    fileprivate func mayChangeColumns(of entity: ResolvedEntity) -> Bool {
        guard let names = changedProperties?[entity.name] else { return true }
        return names.contains { entity.property(named: $0)?.isColumn ?? true }
    }
}
