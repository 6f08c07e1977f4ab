extension ManagedObjectContext {
    /// Has fetches and faults read one state of the store, or, with nil, the present again.
    ///
    /// The pin moves to the present by a save of this context, by ``mergeChangesFromParent()``, by ``reset()``, and by
    /// calling this again. Objects that are loaded keep their values then: ``refreshAllObjects()`` has them read anew.
    /// Meanwhile what others save is not merged. A store without snapshots (one in memory; several in one coordinator)
    /// goes on showing the present.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a child context, which sees its parent's state, and for a
    ///   token of another coordinator.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        guard parent == nil else {
            throw BackstitchError(
                .invalidRequest, "a child context sees the state that its parent sees; pin the parent instead")
        }
        generation = token.map { $0.pin.map(Generation.pinned) ?? .pending }
    }

    /// The state that the context is pinned to, for another context; nil when it reads the present. A state that is
    /// still to be chosen is chosen now.
    public func queryGenerationToken() throws -> QueryGenerationToken? {
        guard generation != nil else { return nil }
        return try pin().map { QueryGenerationToken(pin: $0) }
    }

    /// Where a context stands that is pinned.
    enum Generation {
        /// The next read chooses the state.
        case pending
        case pinned(GenerationPin)
    }

    /// Returns the source that answers reads: the present store, or the state that the context is pinned to.
    func reading() throws -> any RowReading {
        guard generation != nil, let pin = try pin() else { return source }
        return GenerationSource(coordinator: coordinator, snapshot: pin.snapshot)
    }

    /// The store, or the state of it that the context is pinned to.
    func readingStore() throws -> any StoreReading {
        if let parent { return try parent.readingStore() }
        guard generation != nil, let pin = try pin() else { return coordinator.store }
        return pin.snapshot
    }

    /// Has the next read choose another state, if the context is pinned.
    func advanceGeneration() {
        if generation != nil { generation = .pending }
    }

    private func pin() throws -> GenerationPin? {
        switch generation {
        case .pinned(let pin): return pin
        case nil: return nil
        case .pending:
            // Changes that were saved before the state was chosen are in it.
            while let changes = mailbox.take() { merge(changes) }
            guard let snapshot = try coordinator.store.makeSnapshot() else { return nil }
            let pin = GenerationPin(snapshot)
            generation = .pinned(pin)
            return pin
        }
    }
}

/// A snapshot as what lies below a context. Its rows are not shared with other contexts.
private struct GenerationSource: RowReading {
    let coordinator: PersistentStoreCoordinator
    let snapshot: any StoreSnapshot

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        try isMeant(by: request) ? snapshot.fetch(request) : RowBatchBuilder(entity: request.entity).finish()
    }

    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        if isMeant(by: request) { try snapshot.forEachBatch(request, size: size, body) }
    }

    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        try isMeant(by: request) ? snapshot.fetchKeys(request) : []
    }

    func count(_ request: StoreFetchRequest) throws -> Int { try isMeant(by: request) ? snapshot.count(request) : 0 }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [RowSnapshot] {
        let batch = try snapshot.rows(of: entity, keys: keys)
        return (0..<batch.count).map { RowSnapshot(batch: batch, row: $0) }
    }

    func related(by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]) throws -> RelatedRows {
        try snapshot.related(by: property, of: entity, sources: sources)
    }

    private func isMeant(by request: StoreFetchRequest) -> Bool { coordinator.store(for: request) != nil }
}
