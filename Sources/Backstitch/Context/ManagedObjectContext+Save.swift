extension ManagedObjectContext {
    /// Writes all unsaved changes in one transaction: rows, links, history, and the outbox of a synced store.
    ///
    /// A save first settles deletions and edits that contradict changes made elsewhere (see ``MergePolicy``). It
    /// carries out delete rules and calls ``ManagedObject/willSave()``. It then settles changes that were merged
    /// beneath edits, validates, and calls ``processPendingChanges()``. Conflict detection and the store's transaction
    /// follow. Last are ``ManagedObject/didSave()`` and notifications.
    ///
    /// Observers may change objects when they are told of the changes. These changes are written too, after the same
    /// steps. If any step before the last two throws, the store is as before and the context keeps its changes. With
    /// several stores, a store may fail after others were written: only the unwritten changes are then still unsaved.
    ///
    /// - Throws: ``BackstitchError/Code/validation`` with every fault of every object;
    ///   ``BackstitchError/Code/deleteDenied``; ``BackstitchError/Code/saveConflict`` and
    ///   ``BackstitchError/Code/constraint`` under ``MergePolicy/error``, with a ``MergeConflict`` or
    ///   ``ConstraintConflict`` for each object; errors of the store. A save also throws a kept error of a property
    ///   (see ``ManagedObject``), from setting one, or from reading one of an object in this save.
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
            "others changed the objects during the save, \(Self.conflictRounds) times in a row; try again")
    }

    /// The number of times a save is planned, at most, if the same rows keep changing elsewhere.
    private static var conflictRounds: Int { 100 }

    /// Takes all steps before the rows are planned.
    ///
    /// - Parameter called: The objects that were told of the save.
    private func prepare(_ called: inout [[ManagedObject]]) throws {
        try prepareObjects(&called)
        try settleMergedChanges()
        try validateChanges()
    }

    /// Settles changes made elsewhere to objects with unsaved changes, as far as the context knows of them. The store
    /// finds the rest.
    private func settleMergedChanges() throws {
        // This step may find that rows are gone.
        try settleMergedEdits()
        try settleDisputes()
    }

    /// Tells observers of the coming changes before these are planned. The observers' own changes are prepared and
    /// saved as well. Observers are told of them after the save.
    private func tellObservers(_ called: inout [[ManagedObject]]) throws {
        let before = unsaved.changeCount
        processPendingChanges()
        if unsaved.changeCount != before { try prepare(&called) }
        // Observers and rules of objects may fetch, and a fetch merges changes made elsewhere meanwhile.
        try settleMergedChanges()
    }

    /// Carries out delete rules, and tells each object of the save once. It repeats this until no further objects
    /// change.
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
            // Only changes by these objects can have added objects that were not called yet.
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
        // Values that the store computed are read when needed.
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
