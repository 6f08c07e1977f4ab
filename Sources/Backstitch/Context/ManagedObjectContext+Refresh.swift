extension ManagedObjectContext {
    /// Reads an object anew when it is next used: with `mergeChanges` its unsaved changes are laid over the new values,
    /// without they are dropped.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard !object.isNew, object.state != .vanished else { return }
        if !mergeChanges { reporting(()) { try dropChanges(of: object) } }
        orderTails = [:]
        turnIntoFault(object)
        tell { $0.refreshed.insert(object) }
    }

    /// ``refresh(_:mergeChanges:)`` with all objects, keeping unsaved changes.
    public func refreshAllObjects() {
        for object in registeredObjects { refresh(object, mergeChanges: true) }
    }

    /// Drops every unsaved change: new objects vanish, changed ones have their saved values again, deleted ones are back. The
    /// ``undoManager`` forgets its steps.
    public func rollback() {
        linkDeltas.removeAll()
        for object in inserted.values {
            tell { $0.noteDeletion(of: object) }
            vanish(object)
        }
        for object in deleted.values {
            object.state = .persistent
            tell { $0.noteReturn(of: object) }
        }
        for object in updated.values {
            object.edits = nil
            object.transients?.rollback()
            tell { $0.refreshed.insert(object) }
        }
        updated.removeAll()
        deleted = [:]
        orderTails = [:]
        forgetCollections()
        undoManager?.removeAllActions()
        _ = takeDeferredError()
    }

    /// Forgets all objects and changes, and the steps of the ``undoManager``. Objects that the program still holds are vanished.
    public func reset() {
        advanceGeneration()
        linkDeltas.removeAll()
        prefetched = []
        orderTails = [:]
        for object in registeredObjects { vanish(object) }
        undoManager?.removeAllActions()
        _ = takeDeferredError()
    }

    /// Takes back what was changed of an object, links included, so that the other ends follow.
    private func dropChanges(of object: ManagedObject) throws {
        if object.state == .deleted { takeBackDeletion(of: object) }
        if let snapshot = object.snapshot {
            for slot in object.edits?.changed.slots ?? [] { try dropEdit(slot, of: object, snapshot) }
        }
        object.edits = nil
        object.transients = nil
        for property in object.entity.relationships { dropLinks(property, of: object) }
        updated.remove(object)
    }

    private func dropEdit(_ slot: Int, of object: ManagedObject, _ snapshot: RowSnapshot) throws {
        let saved = snapshot.batch.value(snapshot.row, slot)
        if let relationship = object.entity.properties[slot].relationship {
            let inverse = model.inverse(of: relationship)
            if case .object(let id)? = object.edits?[slot] {
                unlink(object.key, from: LinkEnd(id.key, inverse, relationship))
            }
            if case .object(let id) = saved { link(object.key, to: LinkEnd(id.key, inverse, relationship)) }
        }
        try object.setColumn(slot, to: saved)
    }

    private func dropLinks(_ property: ResolvedProperty, of object: ManagedObject) {
        guard let relationship = property.relationship,
            relationship.storage == .ownedLinks || relationship.storage == .inverseLinks,
            let delta = linkDeltas.deltas[LinkEnd(object, property)]
        else { return }
        let inverse = model.inverse(of: relationship)
        for key in delta.added {
            unlink(key, from: LinkEnd(object, property))
            unlink(object.key, from: LinkEnd(key, inverse, relationship))
        }
        for key in delta.removed {
            link(key, to: LinkEnd(object, property))
            link(object.key, to: LinkEnd(key, inverse, relationship))
        }
    }
}
