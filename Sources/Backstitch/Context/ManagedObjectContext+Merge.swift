extension ManagedObjectContext {
    /// Takes in what other contexts, or a sync, have changed in the store.
    ///
    /// Changed objects read their new values when they are next used, with unsaved changes laid over them; deleted ones vanish;
    /// loaded to-many relationships that may have changed are read anew. Contexts of a container do this by themselves.
    ///
    /// - Complexity: O(changes + loaded collections); no statement.
    public func merge(_ changes: StoreChanges) {
        guard !changes.isEmpty, !isClosed else { return }
        for id in changes.updated + changes.inserted {
            if let object = registeredObject(id.key) { turnIntoFault(object) }
        }
        for id in changes.deleted {
            if let object = registeredObject(id.key), !object.isNew { vanish(object) }
        }
        let touched = Set((changes.inserted + changes.updated + changes.deleted).map(\.entityName))
        for object in objectsWithCollections {
            for slot in object.collections.keys {
                let property = object.entity.properties[slot]
                let owner = object.entity.name
                if touched.contains(property.destinationName) || touched.contains(owner) {
                    if !object.isNew { object.collections[slot] = nil }
                }
            }
        }
    }

    /// Merges what waits in the mailbox.
    func mergeWaitingChanges() {
        while let changes = mailbox.take() { merge(changes) }
    }
}
