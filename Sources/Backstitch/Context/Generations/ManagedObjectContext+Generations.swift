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
        if let pin = token?.pin, pin.coordinator !== coordinator {
            throw BackstitchError(
                .invalidRequest,
                "the token is of a state of another coordinator's store; pin a context of that coordinator, "
                    + "or this one to .current")
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
            while let changes = mailbox.take() { takeIn(changes) }
            guard let snapshot = try coordinator.store.makeSnapshot() else { return nil }
            let pin = GenerationPin(snapshot, of: coordinator)
            generation = .pinned(pin)
            return pin
        }
    }
}
