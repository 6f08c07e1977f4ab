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
    /// The predicate sees `number`, `timestamp`, `author`, `contextName`, and `changes` with `entityName`, `kind`
    /// (`"insert"`, `"update"`, `"delete"`) and `objectID`. Transactions without an author have a nil one, which
    /// `author != "x"` finds.
    ///
    /// While others write, it gives what was committed when it was called, without gaps: numbers rise in the order of
    /// commits.
    ///
    /// - Parameters:
    ///   - token: Nil for all that is kept.
    ///   - store: Which store; not needed with a token, or where there is one store only. The same holds for the other
    ///     functions.
    ///   - limit: How many transactions to read at most, those that the predicate leaves out among them.
    /// - Throws: ``BackstitchError/Code/historyExpired`` when history was purged past the token or the token is another
    ///   store's: the caller must then read the objects themselves, and go on from ``currentHistoryToken()``;
    ///   ``BackstitchError/Code/invalidRequest`` when the store keeps no history.
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

    /// The same with a predicate in the format language; see ``FetchPredicate``.
    public func history(
        after token: PersistentHistoryToken? = nil, of store: (any PersistentStore)? = nil, where format: String,
        _ arguments: (any PredicateArgument)?..., limit: Int = .max
    ) throws -> [PersistentHistoryTransaction] {
        let predicate = try FetchPredicate(format: format, arguments: arguments.map { $0 ?? Value.null })
        return try history(after: token, of: store, matching: predicate, limit: limit)
    }

    /// Returns the transactions since a time, by the clock of those who saved.
    public func history(since date: Date, of store: (any PersistentStore)? = nil) throws
        -> [PersistentHistoryTransaction]
    {
        try history(of: store, where: "timestamp >= %@", date)
    }

    /// Which objects others changed in the store, from now on: other processes, or a sync. Contexts of this coordinator
    /// merge them by themselves. Several saves may be told of as one; what each did is in
    /// ``history(after:of:matching:limit:)``.
    public var remoteChanges: AsyncStream<StoreChanges> { remoteChangeBroadcast.stream() }

    /// The place after the newest transaction.
    public func currentHistoryToken(of store: (any PersistentStore)? = nil) throws -> PersistentHistoryToken {
        let journal = try journal(of: store)
        return PersistentHistoryToken(
            storeID: journal.identifier, number: try journal.readJournal { try $0.lastTransactionNumber() })
    }

    /// Notes that a reader of history has read up to a token, and makes it known if it is not. History that a known
    /// reader has not read is never purged, so remove readers that are gone.
    ///
    /// - Throws: As ``history(after:of:matching:limit:)``, for the token.
    public func setHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws {
        let journal = try journal(of: nil, token)
        try journal.writeJournal(author: HistoryConsumers.author) { writing in
            try require(token, journal.identifier, notBefore: writing.purgedHistoryNumber())
            try HistoryConsumers.set(name, to: token.number, writing)
        }
    }

    /// Forgets a reader of history.
    public func removeHistoryConsumer(_ name: String, of store: (any PersistentStore)? = nil) throws {
        try journal(of: store).writeJournal(author: HistoryConsumers.author) {
            try HistoryConsumers.set(name, to: nil, $0)
        }
    }

    /// The known readers of history, and how far each has read.
    public func historyConsumers(of store: (any PersistentStore)? = nil) throws -> [String: PersistentHistoryToken] {
        let journal = try journal(of: store)
        return try journal.readJournal { try HistoryConsumers.all($0) }
            .mapValues { PersistentHistoryToken(storeID: journal.identifier, number: $0) }
    }

    /// Deletes history up to a place, but none that a known reader has not read, and none of the last ten minutes:
    /// other processes that follow the store may be that far behind. Then frees bytes that nothing names
    /// (``collectAssets()``).
    ///
    /// - Returns: How many transactions were deleted.
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

    /// Deletes history that is older than a date; see ``purgeHistory(through:)``.
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

    /// The history that is meant: a store's, a token's, or that of the only store.
    private func journal(of store: (any PersistentStore)?, _ token: PersistentHistoryToken? = nil) throws
        -> any JournalingStore
    {
        let stores = stores
        if store == nil, token == nil, stores.count > 1 {
            throw BackstitchError(
                .invalidRequest,
                "the coordinator has \(stores.count) stores, each with a history of its own; say of which one")
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
                "the token is one of the store \(token.storeID), not of \(store); read the objects themselves, and go on from the "
                    + "current token")
        }
        if token.number < start {
            throw BackstitchError(
                .historyExpired,
                "history up to transaction \(start) was purged, and the token stands after \(token.number); read the objects "
                    + "themselves, and go on from the current token")
        }
    }
}
