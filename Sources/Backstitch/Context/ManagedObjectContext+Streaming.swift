extension ManagedObjectContext {
    /// Runs `body` with each object that a request finds, in order. The number of objects in memory is bounded, so it
    /// suits millions of rows.
    ///
    /// ```swift
    /// try context.forEach(FetchRequest<Note>(), batchSize: 1000) { note in
    ///     try writer.write(note.title)
    /// }
    /// ```
    /// The state of the store at the beginning decides the objects and their order. Unsaved changes of this context
    /// play no part in that, but show in the objects. Objects that `body` does not keep are gone after their batch.
    /// `body` may fetch, change and save. If an object was changed meanwhile, `body` gets it with its new values. If it
    /// was deleted, `body` does not get it.
    ///
    /// - Throws: As ``fetch(_:)-(FetchRequest<Object>)``; errors of `body`, which end the loop.
    /// - Complexity: O(rows). It needs memory for a batch, and for the identity of each object that is changed
    ///   meanwhile. In a child context all rows are loaded at once.
    public func forEach<Object: ManagedObject>(
        _ request: FetchRequest<Object>, batchSize: Int = 500, _ body: (Object) throws -> Void
    ) throws {
        try prepareRequest()
        guard batchSize > 0 else {
            throw BackstitchError(.invalidRequest, "a batch size cannot be \(batchSize)", key: "batchSize")
        }
        let resolved = try resolve(request)
        // It listens from before the first row is read, so that no change is missed.
        let mailbox = ChangeMailbox()
        coordinator.addListener(mailbox)
        var changed: Set<ObjectKey> = [], gone: Set<ObjectKey> = []
        try reading().forEachBatch(resolved, size: batchSize) { batch in
            try prepareRequest()
            if let changes = mailbox.take() {
                changed.formUnion((changes.inserted + changes.updated).map(\.key))
                gone.formUnion(changes.deleted.map(\.key))
            }
            let objects = try (0..<batch.count).compactMap { row -> ManagedObject? in
                let key = batch.keys[row]
                if gone.contains(key) { return nil }
                // The row's values are out of date.
                if changed.contains(key) { return try object(with: batch.objectID(at: row)) }
                return object(for: RowSnapshot(batch: batch, row: row))
            }
            try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, resolved.entity)
            for object in objects where object.state != .vanished && object.state != .deleted { try body(cast(object)) }
        }
    }
}
