public import Foundation

extension PersistentStoreCoordinator {
    /// Returns the transactions of the store after a place in its history, oldest first.
    ///
    /// ```swift
    /// let news = try coordinator.history(
    ///     after: token, where: "author != %@ AND ANY changes.entityName == %@", "import", "Note")
    /// for transaction in news { … }
    /// token = news.last?.token ?? token
    /// ```
    /// The predicate can use `number`, `timestamp`, `author`, `contextName`, and `changes` with `entityName`, `kind`
    /// (`"insert"`, `"update"`, `"delete"`) and `objectID`. A transaction without an author has a nil author, so
    /// `author != "x"` finds it.
    ///
    /// While others write, it returns the transactions committed before the call, without gaps: numbers rise in the
    /// order of commits.
    ///
    /// - Parameters:
    ///   - token: The place to start after; nil for all existing history.
    ///   - store: The store. It is not needed with a token, or if there is only one store. The same holds for the other
    ///     functions.
    ///   - limit: The most transactions to read, including those that do not match the predicate.
    /// - Throws: ``BackstitchError/Code/historyExpired`` if history was purged past the token or the token is another
    ///   store's. The caller must then read the objects themselves, and continue from ``currentHistoryToken(of:)``.
    ///   ``BackstitchError/Code/invalidRequest`` if the store keeps no history.
    /// - Complexity: O(changes after the token).
    public func history(
        after token: PersistentHistoryToken? = nil, of store: (any PersistentStore)? = nil,
        matching predicate: FetchPredicate? = nil, limit: Int = .max
    ) throws -> [PersistentHistoryTransaction] {
        let journal = try journal(of: store, token)
        let filter = try predicate.map {
            let model = try PersistentHistoryTransaction.model.get()
            return try $0.resolved(for: model.requireEntity(named: "PersistentHistoryTransaction"), in: model)
        }
        let transactions = try journal.readJournal { reading in
            let start = try reading.purgedHistoryNumber()
            try require(token, journal.identifier, notBefore: start)
            return try reading.history(after: token?.number ?? start, limit: limit)
        }
        guard let filter else { return transactions }
        return try transactions.filter { try filter.evaluate($0) }
    }

    /// Returns the transactions that satisfy a predicate in the format language; see ``FetchPredicate``.
    public func history(
        after token: PersistentHistoryToken? = nil, of store: (any PersistentStore)? = nil, where format: String,
        _ arguments: (any PredicateArgument)?..., limit: Int = .max
    ) throws -> [PersistentHistoryTransaction] {
        let predicate = try FetchPredicate(format: format, arguments: arguments.map { $0 ?? Value.null })
        return try history(after: token, of: store, matching: predicate, limit: limit)
    }

    /// Returns the transactions since a time, by the clocks of their authors.
    public func history(since date: Date, of store: (any PersistentStore)? = nil) throws
        -> [PersistentHistoryTransaction]
    {
        try history(of: store, where: "timestamp >= %@", date)
    }

    /// The objects changed in the store from now on by other processes or by a sync. Contexts of this coordinator merge
    /// them automatically. Several saves may be reported as one; ``history(after:of:matching:limit:)`` has each of
    /// them.
    public var remoteChanges: AsyncStream<StoreChanges> { remoteChangeBroadcast.stream() }

    /// Returns the place after the newest transaction.
    public func currentHistoryToken(of store: (any PersistentStore)? = nil) throws -> PersistentHistoryToken {
        let journal = try journal(of: store)
        return PersistentHistoryToken(
            storeID: journal.identifier, number: try journal.readJournal { try $0.lastTransactionNumber() })
    }

    /// Records how far a reader has read history, up to a token, and registers the reader if it is new. History unread
    /// by a registered reader is never purged, so remove readers that are no longer used.
    ///
    /// - Throws: As ``history(after:of:matching:limit:)``, for the token.
    public func setHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws {
        let journal = try journal(of: nil, token)
        try journal.writeJournal(author: HistoryConsumers.author) { writing in
            try require(token, journal.identifier, notBefore: writing.purgedHistoryNumber())
            try HistoryConsumers.set(name, to: token.number, writing)
        }
    }

    /// Removes a reader of history.
    public func removeHistoryConsumer(_ name: String, of store: (any PersistentStore)? = nil) throws {
        try journal(of: store).writeJournal(author: HistoryConsumers.author) {
            try HistoryConsumers.set(name, to: nil, $0)
        }
    }

    /// Returns the registered readers of history, with the place that each has reached.
    public func historyConsumers(of store: (any PersistentStore)? = nil) throws -> [String: PersistentHistoryToken] {
        let journal = try journal(of: store)
        return try journal.readJournal { try HistoryConsumers.all($0) }
            .mapValues { PersistentHistoryToken(storeID: journal.identifier, number: $0) }
    }

    /// Deletes history up to a place. It keeps the part unread by a registered reader, and the last ten minutes: other
    /// processes on the store may be that far behind. Then it deletes asset bytes that are no longer named
    /// (``collectAssets()``).
    ///
    /// - Returns: The number of deleted transactions.
    @discardableResult
    public func purgeHistory(through token: PersistentHistoryToken) throws -> Int {
        let journal = try journal(of: nil, token)
        let count = try journal.writeJournal(author: HistoryConsumers.author) { writing in
            try require(token, journal.identifier, notBefore: 0)
            let slowest = try HistoryConsumers.all(writing).values.min() ?? .max
            let recent = clock.milliseconds() - HistoryConsumers.grace
            return try writing.purgeHistory(through: min(token.number, slowest), before: Date(milliseconds: recent))
        }
        _ = try assetCollector.collect { try journal.collectAssets() }
        return count
    }

    /// Deletes history older than a date; see ``purgeHistory(through:)``.
    @discardableResult
    public func purgeHistory(before date: Date, of store: (any PersistentStore)? = nil) throws -> Int {
        let journal = try journal(of: store)
        let count = try journal.writeJournal(author: HistoryConsumers.author) { writing in
            let slowest = try HistoryConsumers.all(writing).values.min() ?? .max
            let recent = Date(milliseconds: clock.milliseconds() - HistoryConsumers.grace)
            return try writing.purgeHistory(through: slowest, before: min(date, recent))
        }
        _ = try assetCollector.collect { try journal.collectAssets() }
        return count
    }

    /// Returns the journal of a store, of a token's store, or of the only store.
    private func journal(of store: (any PersistentStore)?, _ token: PersistentHistoryToken? = nil) throws
        -> any JournalingStore
    {
        let stores = stores
        if store == nil, token == nil, stores.count > 1 {
            throw BackstitchError(
                .invalidRequest,
                "the coordinator has \(stores.count) stores, each with its own history; name one of them")
        }
        guard let meant = store ?? stores.first(where: { $0.identifier == token?.storeID }) ?? stores.first else {
            throw BackstitchError(.storeClosed, "the coordinator has no store any more")
        }
        if let journal = meant.journal { return journal }
        throw BackstitchError(.invalidRequest, "the store of type \(type(of: meant).typeName) keeps no history")
    }

    private func require(_ token: PersistentHistoryToken?, _ store: UUID, notBefore start: Int64) throws {
        guard let token else { return }
        if token.storeID != store {
            throw BackstitchError(
                .historyExpired,
                "the token belongs to the store \(token.storeID), not to \(store); read the objects themselves, "
                    + "and continue from the current token")
        }
        if token.number < start {
            throw BackstitchError(
                .historyExpired,
                "the history up to transaction \(start) was purged, but the token is at \(token.number); read "
                    + "the objects themselves, and continue from the current token")
        }
    }
}
