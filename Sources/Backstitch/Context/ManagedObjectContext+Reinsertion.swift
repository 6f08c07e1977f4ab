// A new object with the identity of an object that the same save deletes.
extension ManagedObjectContext {
    /// Makes way for a new object. If an object with its identity is to be deleted, its delete rules are carried out
    /// and it is removed. The new object takes over its row.
    ///
    /// - Returns: The row; nil if there is none.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if an object of this identity stays in the context, or an
    ///   object of another entity has its key; ``BackstitchError/Code/deleteDenied``.
    func makeWay(for key: ObjectKey, of entity: ResolvedEntity) throws -> RowSnapshot? {
        takeOutNewcomers()
        guard let present = registeredObject(key) else { return nil }
        guard present.entity === entity else {
            throw BackstitchError.takenKey(ObjectID(entityName: entity.name, key: key), by: present.objectID)
        }
        guard present.state == .deleted else {
            throw BackstitchError(
                .invalidRequest,
                "the context has an object \(present.objectID) already; change that one, or delete it before",
                objectID: present.objectID)
        }
        var propagation = DeletePropagation(self)
        try propagation.run()
        hideDeletions()
        let snapshot = try present.loadedSnapshot()
        if present.state == .deleted { depart(present) }
        return snapshot
    }

    /// Removes an object whose row another object takes over. Changed links stay, because the store still has the links
    /// that its deletion removed.
    private func depart(_ object: ManagedObject) {
        unsaved.takeBackDeletion(of: object)
        unsaved.unlist(object)
        unsaved.mergedBases[object.key] = nil
        unsaved.forgetDispute(of: object)
        identityMap.unregister(object)
        object.state = .vanished
        object.snapshot = nil
        object.edits = nil
        object.transients = nil
        object.collections = [:]
        object.heldTargets = []
    }

    /// Takes in a new object that took over a row. The save updates the row, and resets values that are not set.
    func insertAgain(_ object: ManagedObject) {
        register(object)
        unsaved.update(object)
        undoManager?.record(.inserted(object))
        notifier.noteRefresh(of: object)
        reporting(()) {
            for property in object.entity.properties where object.entity.owns(property.slot) && property.isColumn {
                if property.relationship == nil {
                    if property.attribute?.derivation != nil { continue }
                    try object.setColumn(property.slot, to: object.entity.defaults[property.slot])
                } else if property.relationship?.description.deleteRule == .noAction {
                    try object.link(property, to: nil)
                } else {
                    // The delete rule has told the far end.
                    try object.setColumn(property.slot, to: .null)
                }
            }
        }
        object.awakeFromInsert()
    }
}
