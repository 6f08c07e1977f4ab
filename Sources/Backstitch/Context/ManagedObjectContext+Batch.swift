extension ManagedObjectContext {
    /// Inserts objects straight into the store.
    ///
    /// The objects are written at once, in a transaction of their own, below this context and its parents. No save is
    /// needed, and unsaved changes play no part. History records the insertions, and so does the outbox of a synced
    /// store. Every context is told of them, this one at once.
    ///
    /// If the store has an object with the same unique values, that object is changed instead, as the context's
    /// ``mergePolicy`` says; see ``ConstraintConflict``. The result counts such objects too.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an unknown entity or property;
    ///   ``BackstitchError/Code/invalidValue`` for a value of the wrong type; ``BackstitchError/Code/validation`` for
    ///   an object without a required value; ``BackstitchError/Code/constraint`` under ``MergePolicy/error`` for two
    ///   objects with one unique value; ``BackstitchError/Code/saveConflict`` when the store has an object of a given
    ///   identity; errors of the request's closure and of the store. Nothing is inserted then.
    /// - Complexity: O(objects). A few statements for some thousand objects.
    @discardableResult
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        try prepareRequest()
        let builder = BatchRowBuilder(self, try concrete(model.requireEntity(named: request.entityName)))
        let operation = StoreBatchRequest.Operation.insert(builder.entity) { builder.rows(of: request.source) }
        let isRepeatable = if case .objects = request.source { true } else { false }
        let policy = mergePolicy(for: builder.entity)
        do {
            let changes = try execute(operation, isRepeatable: isRepeatable, mergePolicy: policy)
            return BatchResult(request.resultType, changes.inserted + changes.updated)
        } catch let error as BackstitchError where error.code == .constraint && policy == .error {
            throw error.advisingMergePolicy()
        }
    }

    /// Changes properties of objects straight in the store.
    ///
    /// The changes are written at once, in a transaction of their own, below this context and its parents. Objects in
    /// memory read their new values at their next use, with unsaved changes laid over them.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an unknown entity or property;
    ///   ``BackstitchError/Code/invalidPredicate``; ``BackstitchError/Code/invalidValue`` for a value that an attribute
    ///   cannot hold; ``BackstitchError/Code/validation`` for nil in a required attribute; errors of the store. Nothing
    ///   has changed then, except in stores that had finished before another store failed.
    /// - Complexity: O(rows). With constants it is one statement in a store without sync. Otherwise rows are read and
    ///   written some thousand at a time.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        try prepareRequest()
        var fetch = try resolve(
            FetchRequest<ManagedObject>(entityName: request.entityName, predicate: request.predicate))
        fetch.includesSubentities = request.includesSubentities
        var planner = BatchUpdatePlanner(self, fetch.entity)
        let assignments = try planner.assignments(request.propertiesToUpdate)
        return BatchResult(request.resultType, try execute(.update(fetch, assignments), assets: planner.assets).updated)
    }

    /// Deletes objects straight in the store, and follows their delete rules.
    ///
    /// The objects are deleted at once, in a transaction of their own, below this context and its parents. Objects in
    /// memory vanish. Their unsaved changes in this context are dropped. Their unsaved changes in other contexts, the
    /// parents included, are in conflict with the deletion.
    ///
    /// - Throws: ``BackstitchError/Code/deleteDenied`` naming an object that a deny rule keeps;
    ///   ``BackstitchError/Code/invalidRequest``; ``BackstitchError/Code/invalidPredicate``; errors of the store.
    ///   Nothing has changed then, except in stores that had finished before another store failed.
    /// - Complexity: O(rows deleted and nullified), read and written some thousand at a time.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        try prepareRequest()
        return BatchResult(request.resultType, try execute(.delete(request.resolve(self))).deleted)
    }

    private func execute(
        _ operation: StoreBatchRequest.Operation, isRepeatable: Bool = true, mergePolicy: MergePolicy = .error,
        assets: AssetContents = [:]
    ) throws -> StoreChanges {
        var request = StoreBatchRequest(
            operation, isRepeatable: isRepeatable, mergePolicy: mergePolicy, author: transactionAuthor,
            contextName: name)
        request.assets = assets
        do {
            let changes = try coordinator.execute(request, from: mailbox)
            takeInOwn(changes)
            return changes
        } catch let partial as PartialBatch {
            takeInOwn(partial.changes)
            throw partial.error
        }
    }

    /// Merges changes into this context and its parents.
    private func takeInOwn(_ changes: StoreChanges) {
        hasWritten = true
        var context: ManagedObjectContext? = self
        while let present = context {
            present.takeIn(changes, areOwn: present === self)
            context = present.parent
        }
    }
}
