extension ManagedObjectContext {
    /// Has the next save delete an object, and what its delete rules ask for. Its values can be read until then.
    ///
    /// Relationships show it until ``processPendingChanges()``. An object that was never saved goes at once, as if it
    /// had never been there; ``undo()`` brings it back.
    public func delete(_ object: ManagedObject) {
        reporting(()) {
            try requireOpen()
            guard object.context === self else {
                throw BackstitchError(
                    .invalidRequest,
                    "\(object.objectID) belongs to another context, and is not deleted; delete the object that object(with:) of this one "
                        + "gives", objectID: object.objectID)
            }
            try markDeleted(object)
        }
    }

    /// Has the next save delete an object, unless that is so already.
    func markDeleted(_ object: ManagedObject) throws {
        guard !object.isGone else { return }
        object.prepareForDeletion()
        guard !object.isGone else { return }
        if let undoManager { undoManager.record(.deleted(object, try ObjectImage(object))) }
        object.state = .deleted
        unsaved.delete(object)
        notifier.noteDeletion(of: object)
    }

    /// Makes an object that was to be deleted what it was before.
    func takeBackDeletion(of object: ManagedObject) {
        object.state = object.isNew ? .inserted : .persistent
        unsaved.takeBackDeletion(of: object)
        if !object.isNew, unsaved.forgetDispute(of: object) { readAnew(object) }
        undoManager?.record(.inserted(object))
        notifier.noteReturn(of: object)
    }

    /// Has an object that others have changed read its new values when it is next used.
    func readAnew(_ object: ManagedObject) {
        unsaved.rememberBase(of: object)
        turnIntoFault(object)
    }

    /// Lets go of objects that were inserted and deleted since, after their delete rules. Called before anybody looks
    /// for them, not at each deletion, since the rules judge all deletions together.
    func takeOutNewcomers() {
        guard unsaved.visitDeletions() else { return }
        var propagation = DeletePropagation(self, onlyNewcomers: true)
        // A rule that denies a deletion, or a store that cannot be read, is met again by the save, which throws it.
        try? propagation.run()
    }

    /// Carries out the delete rules of what was deleted since the last time, where steps are recorded: so that a
    /// deletion and all that its rules change are taken back together.
    func settleDeletions() {
        guard undoManager != nil, unsaved.takeUnsettledDeletions() else { return }
        var propagation = DeletePropagation(self)
        // As with newcomers: a failure is met again by the save.
        try? propagation.run()
    }

    /// Has relationships no longer show the objects to be deleted. Their delete rules are carried out by the save, if
    /// not before.
    func hideDeletions() {
        takeOutNewcomers()
        unsaved.hideDeletions()
    }
}
