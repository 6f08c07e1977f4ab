// A new object with the identity of one that the same save deletes.
extension ManagedObjectContext {
    /// Makes way for a new object: an object with its identity that is to be deleted goes, after its delete rules, and
    /// the new one takes its row over.
    ///
    /// - Returns: The row; nil where there is none.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the context has an object of that identity that stays, or
    ///   one of another entity with its key;
    ///   ``BackstitchError/Code/deleteDenied``.
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

    /// Has an object go whose row another one takes over. Changed links stay: the store still has those that its
    /// deletion took away.
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

    /// Takes a new object in that has taken a row over: the save updates the row, and resets what is not set.
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
                    // Its far end was told by the delete rule.
                    try object.setColumn(property.slot, to: .null)
                }
            }
        }
        object.awakeFromInsert()
    }
}
