extension ManagedObjectContext {
    /// Pins fetches and faults to one state of the store. With nil they read the present again.
    ///
    /// A save of this context, ``mergeChangesFromParent()``, ``reset()`` and a further call of this method move the pin
    /// to the present. Loaded objects keep their values then; ``refreshAllObjects()`` has them read anew. While the
    /// context is pinned, it does not merge changes made elsewhere.
    ///
    /// A store without snapshots still shows the present: a store in memory, or several stores in one coordinator.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a child context, because it sees its parent's state, and
    ///   for a token of another coordinator.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        guard parent == nil else {
            throw BackstitchError(
                .invalidRequest, "a child context sees the state that its parent sees; pin the parent instead")
        }
        if let pin = token?.pin, pin.coordinator !== coordinator {
            throw BackstitchError(
                .invalidRequest,
                "the token belongs to the store of another coordinator; pin a context of that coordinator, or "
                    + "this one to .current")
        }
        generation = token.map { $0.pin.map(Generation.pinned) ?? .pending }
    }

    /// Returns the pinned state, for use in another context; nil when the context reads the present. If the state is
    /// not chosen yet, it is chosen now.
    public func queryGenerationToken() throws -> QueryGenerationToken? {
        guard generation != nil else { return nil }
        return try pin().map { QueryGenerationToken(pin: $0) }
    }

    /// The phase of a pin: before or after the choice of its state.
    enum Generation {
        /// The next read chooses the state.
        case pending
        case pinned(GenerationPin)
    }

    /// Returns the source of reads: the present store, or the state that the context is pinned to.
    func reading() throws -> any RowReading {
        guard generation != nil, let pin = try pin() else { return source }
        return GenerationSource(coordinator: coordinator, snapshot: pin.snapshot)
    }

    /// Makes the next read choose a new state, if the context is pinned.
    func advanceGeneration() {
        if generation != nil { generation = .pending }
    }

    private func pin() throws -> GenerationPin? {
        switch generation {
        case .pinned(let pin): return pin
        case nil: return nil
        case .pending:
            // The new state contains all changes saved before, so these are merged first.
            while let changes = mailbox.take() { takeIn(changes) }
            guard let snapshot = try coordinator.store.makeSnapshot() else { return nil }
            let pin = GenerationPin(snapshot, of: coordinator)
            generation = .pinned(pin)
            return pin
        }
    }
}
