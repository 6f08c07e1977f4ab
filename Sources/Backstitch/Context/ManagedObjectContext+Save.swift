extension ManagedObjectContext {
    /// Writes all unsaved changes in one transaction: rows, links, history, and the outbox of a synced store.
    ///
    /// In this order: deletions and edits that others' changes do not go with (see ``MergePolicy``), delete rules,
    /// ``ManagedObject/willSave()``, what was merged beneath edits, validation, ``processPendingChanges()``, conflict
    /// detection, the store's transaction, ``ManagedObject/didSave()``, notifications. What observers change when
    /// they are told of the changes is written too, after the same steps. When any step before the last two throws,
    /// the store is as before and the context keeps its changes.
    ///
    /// - Throws: ``BackstitchError/Code/validation`` with every fault of every object;
    ///   ``BackstitchError/Code/deleteDenied``; ``BackstitchError/Code/saveConflict`` and
    ///   ``BackstitchError/Code/constraint`` under ``MergePolicy/error``, with a ``MergeConflict`` or
    ///   ``ConstraintConflict`` for each object; what the store throws; and what setting a property, or reading one of
    ///   an object that is saved, met earlier and could not throw (see ``ManagedObject``).
    /// - Complexity: O(changes). One statement for each inserted, updated and deleted row; none for unchanged objects.
    public func save() throws {
        didSaveFail = true
        try writeChanges()
        didSaveFail = false
    }

    private func writeChanges() throws {
        try prepareRequest(isSave: true)
        guard hasChanges else { return }
        try settleMergedChanges()
        notifier.tellOfSaveToCome(in: self)
        var called: [[ManagedObject]] = []
        try prepare(&called)
        for _ in 0..<Self.conflictRounds {
            try tellObservers(&called)
            let plan = try SavePlan(self)
            do {
                try save(plan)
                commit(plan)
                return
            } catch let error as BackstitchError where error.code == .saveConflict {
                try resolveConflicts(error)
            } catch let error as BackstitchError where error.code == .constraint {
                try resolveConstraints(error)
            }
        }
        throw BackstitchError(
            .saveConflict,
            "\(Self.conflictRounds) times the objects were changed by others while they were being saved; "
                + "try again")
    }

    /// How often a save is planned anew because others keep changing the same rows.
    private static var conflictRounds: Int { 100 }

    /// All that comes before the rows are planned.
    ///
    /// - Parameter called: The objects that were told of the save.
    private func prepare(_ called: inout [[ManagedObject]]) throws {
        try prepareObjects(&called)
        try settleMergedChanges()
        try validateChanges()
    }

    /// Settles what others have done to objects with unsaved changes, as far as the context knows of it; the rest is
    /// met by the store.
    private func settleMergedChanges() throws {
        // It may find out that rows are gone.
        try settleMergedEdits()
        try settleDisputes()
    }

    /// Tells observers of what will be written, before it is planned: what they change goes along, and is prepared as
    /// well. Of that they are told after the save.
    private func tellObservers(_ called: inout [[ManagedObject]]) throws {
        let before = unsaved.changeCount
        processPendingChanges()
        if unsaved.changeCount != before { try prepare(&called) }
        // Observers may fetch, and so may rules of objects: that merges what others changed in the meantime.
        try settleMergedChanges()
    }

    /// Carries delete rules out and tells the objects of the save that were not told yet, until that changes no further
    /// objects.
    private func prepareObjects(_ called: inout [[ManagedObject]]) throws {
        var propagation = DeletePropagation(self)
        while true {
            try propagation.run()
            try loadJudgedEnds()
            var pending = insertedObjects + updatedObjects.filter { $0.state != .deleted } + deletedObjects
            if !called.isEmpty {
                let known = Set(called.joined().lazy.map(\.key))
                pending.removeAll { known.contains($0.key) }
            }
            guard !pending.isEmpty else { break }
            let before = unsaved.changeCount
            for object in pending { object.willSave() }
            called.append(pending)
            // Only what they changed can have brought others that were not called yet.
            if unsaved.changeCount == before { break }
        }
        try throwDeferredError(isSave: true)
    }

    private func commit(_ plan: SavePlan) {
        hasWritten = true
        let new = unsaved.inserted
        var changes = ContextChanges(newcomers: Newcomers(new))
        changes.updated = Set(unsaved.updated.filter(\.isUpdated))
        changes.deleted = Set(unsaved.deleted.objects)
        for object in new { object.transients?.commit() }
        for object in changes.updated { object.transients?.commit() }
        for row in plan.written {
            row.object.snapshot = row.snapshot
            row.object.edits = nil
            row.object.isNew = false
            row.object.state = .persistent
        }
        advanceGeneration()
        unsaved.forgetLinks()
        // Values that the store computed are read when they are asked for.
        if parent == nil {
            for object in new where object.entity.hasDerivedColumns { turnIntoFault(object) }
            for object in changes.updated where object.entity.hasDerivedColumns { turnIntoFault(object) }
        }
        for object in unsaved.deleted.objects { vanish(object) }
        unsaved.forgetObjects()
        unsaved.forgetAssignments()
        for object in new { object.didSave() }
        for object in changes.updated { object.didSave() }
        for object in changes.deleted { object.didSave() }
        notifier.tellOfSave(changes, plan.changes, in: self)
    }
}
