extension ManagedObjectContext {
    /// Reads an object anew at its next use. With `mergeChanges`, its unsaved changes are laid over the new values.
    /// Without it, they are dropped.
    ///
    /// The call accepts changes made to the object elsewhere, so the next save has no conflict with them. If a changed
    /// object was deleted elsewhere, the next save inserts it again; without `mergeChanges` it is gone.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        let wasDisputed = unsaved.forgetDispute(of: object)
        if wasDisputed, object.isNew, !mergeChanges { yieldRow(of: object) }
        guard !object.isNew, object.state != .vanished else { return }
        forgetOrders()
        if !mergeChanges { reporting(()) { try dropChanges(of: object) } }
        unsaved.acceptChanges(beneath: object)
        turnIntoFault(object)
        notifier.noteAllProperties(of: object)
        notifier.noteRefresh(of: object)
    }

    /// Calls ``refresh(_:mergeChanges:)`` for all objects, and keeps unsaved changes.
    public func refreshAllObjects() {
        for object in identityMap.objects { refresh(object, mergeChanges: true) }
    }

    /// Drops every unsaved change: new objects vanish, changed objects have their saved values again, deleted objects
    /// are back. The ``undoManager`` forgets its steps.
    public func rollback() {
        if notifier.tracksProperties { noteUnsavedChanges() }
        forgetOrders()
        unsaved.forgetLinks()
        for object in unsaved.inserted {
            notifier.noteDeletion(of: object)
            vanish(object)
        }
        for object in unsaved.deleted.objects {
            object.state = .persistent
            // A deleted object that yielded to another one with the same unique values has given its links away.
            object.edits = nil
            object.transients?.rollback()
            if unsaved.isDisputed(object) { turnIntoFault(object) }
            notifier.noteReturn(of: object)
        }
        for object in unsaved.updated {
            object.edits = nil
            object.transients?.rollback()
            notifier.noteRefresh(of: object)
        }
        unsaved.forgetObjects()
        identityMap.forgetCollections()
        undoManager?.removeAllActions()
        dropDeferredError()
        didSaveFail = false
    }

    /// Notes the properties with unsaved changes, because they are about to change back.
    private func noteUnsavedChanges() {
        for end in unsaved.links.deltas.keys {
            notifier.noteLinks(at: end, isHeld: registeredObject(end.key) != nil)
        }
        for object in unsaved.updated {
            notifier.noteProperties(at: object.edits?.changed.slots ?? [], of: object)
        }
    }

    /// Forgets all objects and changes, and the steps of the ``undoManager``. Objects that the program still holds are
    /// vanished.
    public func reset() {
        advanceGeneration()
        unsaved.forgetLinks()
        prefetched = []
        unsaved.forgetOrders()
        arrivals = []
        // Child contexts may have read unsaved changes.
        for object in unsaved.inserted { notifier.noteDeletion(of: object) }
        for object in unsaved.updated + unsaved.deleted.objects { notifier.noteForChildren(object) }
        for object in identityMap.objects { vanish(object) }
        undoManager?.removeAllActions()
        dropDeferredError()
    }

    /// Takes all changes of an object back, links included, so that the other ends follow.
    private func dropChanges(of object: ManagedObject) throws {
        if object.state == .deleted { takeBackDeletion(of: object) }
        // An edited to-one shows at its far ends. The object's row tells its right place.
        let slots = object.edits?.changed.slots ?? []
        let hasMoved = slots.contains { object.entity.properties[$0].relationship != nil }
        if let snapshot = try hasMoved ? object.loadedSnapshot() : object.snapshot {
            for slot in object.edits?.changed.slots ?? [] { try dropEdit(slot, of: object, snapshot) }
        }
        object.edits = nil
        object.transients = nil
        for property in object.entity.relationships { dropLinks(property, of: object) }
        // Links that are columns of other objects are changes of those objects.
        if !unsaved.links.hasChanges(of: object) { unsaved.unlistUpdate(object) }
    }

    func dropEdit(_ slot: Int, of object: ManagedObject, _ snapshot: RowSnapshot) throws {
        let saved = snapshot.batch.value(snapshot.row, slot)
        if let relationship = object.entity.properties[slot].relationship {
            let inverse = model.inverse(of: relationship)
            if case .object(let id)? = object.edits?[slot] {
                unlink(object.key, from: LinkEnd(id.key, inverse, relationship))
            }
            if case .object(let id) = saved { link(object.key, to: LinkEnd(id.key, inverse, relationship)) }
            // If the object was moved elsewhere since, this is no change of this context.
            unsaved.forgetLinks(of: object.key, atEndsOf: inverse, relationship)
        }
        try object.setColumn(slot, to: saved)
    }

    /// Takes back the effects of an object's delete rules on links that lead to it.
    func takeBackUnlinking(of object: ManagedObject) throws {
        for property in object.entity.relationships {
            guard let relationship = property.relationship else { continue }
            let inverse = model.inverse(of: relationship)
            switch relationship.storage {
            case .column: unsaved.forgetLinks(of: object.key, atEndsOf: inverse, relationship)
            case .ownedLinks, .inverseLinks: dropLinks(property, of: object)
            case .inverseColumn:
                for other in unsaved.updated where other.edits?[inverse.slot] == .null {
                    guard let row = try other.loadedSnapshot(), !other.isNew,
                        case .object(let id) = row.batch.value(row.row, inverse.slot),
                        id.key == object.key, other.entity.linkIndex == relationship.destinationRootIndex
                    else { continue }
                    try dropEdit(inverse.slot, of: other, row)
                }
            }
        }
        identityMap.forgetStoredCollections { unsaved.mayHaveStoredLinks($0) }
    }

    private func dropLinks(_ property: ResolvedProperty, of object: ManagedObject) {
        guard let relationship = property.relationship,
            relationship.storage == .ownedLinks || relationship.storage == .inverseLinks,
            let delta = unsaved.links.deltas[LinkEnd(object, property)]
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
