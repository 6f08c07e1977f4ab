extension ManagedObjectContext {
    /// Marks an object for deletion by the next save, which also follows its delete rules. Its values can be read until
    /// then.
    ///
    /// Relationships show the object until ``processPendingChanges()``. An object that was never saved vanishes at
    /// once, as if it had never existed; ``undo()`` brings it back.
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

    /// Marks an object for deletion by the next save, unless it is deleted already.
    func markDeleted(_ object: ManagedObject) throws {
        guard !object.isGone else { return }
        object.prepareForDeletion()
        guard !object.isGone else { return }
        if let undoManager { undoManager.record(.deleted(object, try ObjectImage(object))) }
        object.state = .deleted
        unsaved.delete(object)
        notifier.noteDeletion(of: object)
    }

    /// Takes the deletion of an object back. The object is again as it was before.
    func takeBackDeletion(of object: ManagedObject) {
        object.state = object.isNew ? .inserted : .persistent
        unsaved.takeBackDeletion(of: object)
        if !object.isNew, unsaved.forgetDispute(of: object) { readAnew(object) }
        undoManager?.record(.inserted(object))
        notifier.noteReturn(of: object)
    }

    /// Releases the values of an object that changed elsewhere, so that its next use reads the new ones.
    func readAnew(_ object: ManagedObject) {
        unsaved.rememberBase(of: object)
        turnIntoFault(object)
    }

    /// Removes objects that were both inserted and deleted since the last save, after their delete rules. It is called
    /// before a look-up, not at each deletion, because the rules treat all deletions together.
    func takeOutNewcomers() {
        guard unsaved.visitDeletions() else { return }
        var propagation = DeletePropagation(self, onlyNewcomers: true)
        // If a rule denies a deletion, or a store cannot be read, the error occurs again in the save, which throws it.
        try? propagation.run()
    }

    /// Carries out the delete rules of the deletions since the last time, if undo records steps. A deletion and its
    /// effects are then taken back together.
    func settleDeletions() {
        guard undoManager != nil, unsaved.takeUnsettledDeletions() else { return }
        var propagation = DeletePropagation(self)
        // As with newcomers, the failure occurs again in the save.
        try? propagation.run()
    }

    /// Hides the objects to be deleted from relationships. The save carries out their delete rules, if that has not
    /// happened before.
    func hideDeletions() {
        takeOutNewcomers()
        unsaved.hideDeletions()
    }
}
