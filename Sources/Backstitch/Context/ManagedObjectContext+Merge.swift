extension ManagedObjectContext {
    /// Takes in what other contexts, or a sync, have changed in the store.
    ///
    /// Changed objects read their new values when they are next used, with unsaved changes laid over them; deleted ones
    /// vanish; loaded to-many relationships that may have changed are read anew. Contexts of a container do this by
    /// themselves.
    ///
    /// - Complexity: O(changes + loaded collections); no statement.
    public func merge(_ changes: StoreChanges) {
        guard !changes.isEmpty, !isClosed else { return }
        unsaved.forgetLastRanks()
        unsaved.doubtLinks()
        notifier.noteProperties(of: changes, in: model)
        var unregistered = changes
        unregistered.updated.removeAll { merge(updated: $0) }
        unregistered.inserted.removeAll { merge(updated: $0) }
        unregistered.deleted.removeAll { merge(deleted: $0) }
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

    /// Whether the object is in memory; it reads its new values when it is next used.
    private func merge(updated id: ObjectID) -> Bool {
        guard let object = registeredObject(id.key) else { return false }
        unsaved.rememberBase(of: object)
        turnIntoFault(object)
        notifier.noteRefresh(of: object)
        return true
    }

    /// Whether the object is in memory; it vanishes.
    private func merge(deleted id: ObjectID) -> Bool {
        guard let object = registeredObject(id.key), !object.isNew else { return false }
        notifier.noteDeletion(of: object)
        vanish(object)
        return true
    }

    /// Takes in what others, or the parent context, have changed since the last time; see
    /// ``automaticallyMergesChangesFromParent``.
    public func mergeChangesFromParent() {
        while let changes = mailbox.take() { merge(changes) }
        advanceGeneration()
    }

    /// Takes in what waits, if the context does so by itself. One that is pinned to a state stays there.
    func followParent() {
        if generation == nil, automaticallyMergesChangesFromParent { mergeChangesFromParent() }
    }

    /// Takes in changes that came from elsewhere: from another process, or from history. Rows that the coordinator
    /// shares are read anew. All contexts must be the caller's: they belong to its thread or actor.
    public static func mergeChanges(fromRemoteContextSave changes: StoreChanges, into contexts: [ManagedObjectContext])
    {
        for context in contexts {
            context.coordinator.cache.invalidate(changes)
            context.merge(changes)
        }
    }
}
