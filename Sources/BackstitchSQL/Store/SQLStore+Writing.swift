package import Backstitch

extension SQLStore {
    /// Writes a save in one transaction: rows, links, history, and the outbox of a synced store.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object whose stored row has changed since
    ///   it was read. After any error nothing of the request is stored, unless the error says that this is unknown.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult {
        let timestamp = configuration.clock.milliseconds()
        return try naming(request.namesAssets) {
            if !keepsAssetsInTransactions { try keep(request.assets, on: nil) }
            return try announced { token in
                let result = try outbox.write { keepsOutbox in
                    try database.write(token: token, mayRepeat: true) { connection in
                        if request.namesAssets { try shareAssets(on: connection) }
                        if keepsAssetsInTransactions { try keep(request.assets, on: connection) }
                        return try SaveWriter(connection, statements: statements, keepsOutbox: keepsOutbox)
                            .write(request, timestamp: timestamp, token: token)
                    } number: {
                        $0.transactionNumber
                    }
                }
                return (result, request.isEmpty ? nil : result.transactionNumber)
            }
        }
    }

    /// Inserts, changes or deletes many rows in one transaction, with history, and the outbox of a synced store.
    ///
    /// Closures of the request may read the store. They must not write to it: that throws.
    ///
    /// - Throws: As ``PersistentStore/execute(_:)``.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        let timestamp = configuration.clock.milliseconds()
        // Closures of the request may read rows that name content. A collection that waits for this transaction would
        // block them too.
        return try naming(configuration.storedModel.hasExternalColumns) {
            try announced { token in
                let outcome = try outbox.write { keepsOutbox in
                    try database.write(token: token, mayRepeat: request.isRepeatable) { connection in
                        if request.namesAssets { try shareAssets(on: connection) }
                        return try JournalNesting.run(in: database) {
                            try BatchWriter(
                                connection, statements: statements, keepsOutbox: keepsOutbox, isHeld: request.isHeld
                            ) { [self] in
                                try keep($0, on: connection)
                            }
                            .write(request, timestamp: timestamp, token: token)
                        }
                    } number: {
                        $0.number
                    }
                }
                return (outcome.changes, outcome.number)
            }
        }
    }

    /// Runs a transaction and reports it to other processes. The feed of others' changes leaves it out. `body` gets a
    /// token for it, and returns its number in history, if it has one.
    private func announced<Result>(_ body: (ObjectKey?) throws -> (Result, Int64?)) throws -> Result {
        let token = makeToken()
        guard let token, let feed else { return try body(token).0 }
        feed.own.begin(token)
        do {
            let (result, number) = try body(token)
            feed.own.end(token, number)
            if number != nil { feed.announce() }
            return result
        } catch {
            feed.own.end(token, nil)
            throw error
        }
    }
}

// MARK: The journal

extension SQLStore {
    /// Runs `body` on one snapshot of the store. After `body` has returned, its journal throws.
    public func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        try database.readOnce { connection in
            let journal = SQLJournal(connection, statements: statements, isWritable: false)
            defer { journal.close() }
            return try JournalNesting.run(in: database) { try body(journal) }
        }
    }

    /// Runs `body` in one transaction, which is undone if it throws. After `body` has returned, its journal throws.
    ///
    /// Other writers of history wait meanwhile, so the data that `body` reads stays unchanged until its end. Do not
    /// call ``save(_:)`` or `writeJournal` of the same store inside: they throw.
    public func writeJournal<Result>(
        author: String, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        let timestamp = configuration.clock.milliseconds()
        let namesAssets = configuration.storedModel.hasExternalColumns
        return try naming(namesAssets) {
            try announced { token in
                try database.write(token: token, mayRepeat: false) { connection in
                    if namesAssets { try shareAssets(on: connection) }
                    try TransactionToken(connection).lock()
                    let journal = SQLJournal(connection, statements: statements, isWritable: true)
                    defer { journal.close() }
                    let result = try JournalNesting.run(in: database) { try body(journal) }
                    return (result, try journal.finish(author: author, timestamp: timestamp, token: token))
                } number: {
                    $0.1
                }
            }
        }
    }
}
