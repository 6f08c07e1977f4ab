extension ManagedObjectContext {
    /// Takes the newest step back. It does nothing without an ``undoManager`` or a step.
    ///
    /// If a store fails while a fault fires, a change cannot be taken back. The next fetch, count or save throws this
    /// error.
    public func undo() {
        guard let undoManager else { return }
        processPendingChanges()
        forgetOrders()
        reporting(()) { try undoManager.undo(revert, settle: settleUndone) }
        processPendingChanges()
    }

    /// Does the step again that ``undo()`` took back last. It does nothing if something new was done since.
    public func redo() {
        guard let undoManager else { return }
        processPendingChanges()
        forgetOrders()
        reporting(()) { try undoManager.redo(revert, settle: settleUndone) }
        processPendingChanges()
    }

    /// Carries out the rules of redone deletions, and drops links to objects that were deleted elsewhere.
    private func settleUndone() {
        forgetOrders()
        settleDeletions()
        reporting(()) { try dropLostLinks() }
    }

    /// Takes back links to objects that are not in memory and not in the store. No reader would see such links, and no
    /// save could write them.
    private func dropLostLinks() throws {
        var links: [(key: ObjectKey, end: LinkEnd)] = []
        // Ends that are not in memory, by entity.
        var unread: [Int: Set<ObjectKey>] = [:]
        for (end, delta) in unsaved.links.deltas {
            let property = model.entities[end.entityIndex].properties[end.slot]
            guard let relationship = property.relationship,
                relationship.storage == .ownedLinks || relationship.storage == .inverseLinks
            else { continue }
            for key in delta.added {
                links.append((key, end))
                if registeredObject(key) == nil { unread[relationship.destinationRootIndex, default: []].insert(key) }
                if registeredObject(end.key) == nil { unread[end.entityIndex, default: []].insert(end.key) }
            }
        }
        guard !unread.isEmpty else { return }
        var lost: Set<ObjectKey> = []
        for (entity, keys) in unread {
            lost.formUnion(try keys.subtracting(existing(keys.sorted(), of: model.entities[entity]).map(\.key)))
        }
        for (key, end) in links where lost.contains(key) || lost.contains(end.key) { unlink(key, from: end) }
    }

    /// Runs `body` without recording its changes as steps, because they follow from changes made elsewhere.
    func withoutRecording(_ body: () throws -> Void) rethrows {
        if let undoManager { try undoManager.withoutRecording(body) } else { try body() }
    }

    /// Undoes one action, and records the reverse action for redo.
    private func revert(_ action: UndoAction) throws {
        switch action {
        case .column(let object, let column, let old): try restore(old, column, of: object)
        case .transient(let object, let property, let old):
            if object.state != .vanished { object.setTransient(property, to: old) }
        case .linked(let key, let end):
            unlink(key, from: end)
            noteOwnedLinkChange(at: end)
        case .unlinked(let key, let end):
            link(key, to: end)
            noteOwnedLinkChange(at: end)
        case .inserted(let object): try takeOut(object)
        case .deleted(let object, let image): bringBack(object, image)
        }
    }

    private func restore(_ value: Value, _ column: Int, of object: ManagedObject) throws {
        // The object was deleted elsewhere meanwhile: nothing to restore.
        guard object.state != .vanished else { return }
        try object.setColumn(column, to: value)
    }

    /// Takes an insertion back. If the object was saved since, the next save deletes it.
    func takeOut(_ object: ManagedObject) throws {
        guard object.state != .vanished else { return }
        guard object.isNew else { return delete(object) }
        undoManager?.record(.deleted(object, try ObjectImage(object)))
        notifier.noteDeletion(of: object)
        vanish(object)
    }

    /// Takes a deletion back. If the object was deleted from the store since, the next save inserts it under its
    /// identity.
    private func bringBack(_ object: ManagedObject, _ image: ObjectImage) {
        if object.state == .deleted { return takeBackDeletion(of: object) }
        // The object was fetched or made anew meanwhile: that instance is the object now.
        if let present = registeredObject(object.key) {
            return present.state == .deleted ? takeBackDeletion(of: present) : ()
        }
        guard object.state == .vanished else { return }
        image.revive(object)
        register(object)
        unsaved.insert(object)
        unsaved.noteReturn(of: object)
        undoManager?.record(.inserted(object))
        notifier.noteReturn(of: object)
        showAtFarEnds(object)
    }

    /// Shows an object that is brought back in the relationships that lead to it, unless a rule has removed it from
    /// them.
    func showAtFarEnds(_ object: ManagedObject) {
        for property in object.entity.relationships {
            guard let relationship = property.relationship, relationship.storage == .column,
                case .object(let id)? = object.edits?[property.slot]
            else { continue }
            let end = LinkEnd(id.key, model.inverse(of: relationship), relationship)
            if unsaved.links.deltas[end]?.added.contains(object.key) != true { link(object.key, to: end) }
        }
    }

    private func noteOwnedLinkChange(at end: LinkEnd) {
        let property = model.entities[end.entityIndex].properties[end.slot]
        guard property.relationship?.storage == .ownedLinks, let owner = registeredObject(end.key) else { return }
        noteChange(of: owner, at: end.slot)
    }
}
