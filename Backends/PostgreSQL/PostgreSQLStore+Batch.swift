public import Backstitch
import BackstitchSQL

extension PostgreSQLStore {
    /// Inserts, changes or deletes many rows in one transaction, with history, and the outbox where there is one.
    ///
    /// It is run again when others got into its way, unless its rows come from a closure; and found in history when the connection broke at
    /// its end. Closures of the request may read the store and must not write to it: that throws.
    ///
    /// - Throws: As ``PersistentStore/execute(_:)``.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        let timestamp = configuration.clock.milliseconds()
        let token = configuration.generator.next()
        return try announced(token) {
            let outcome = try outbox.write { keepsOutbox in
                let body = { [database, statements, self] (connection: PostgreSQLConnection) in
                    if request.namesAssets { try shareAssets(on: connection) }
                    return try JournalNesting.run(in: database) {
                        try BatchWriter(connection, statements: statements, keepsOutbox: keepsOutbox) { [self] in
                            try keep($0, on: connection)
                        }
                        .write(request, timestamp: timestamp, token: token)
                    }
                }
                return request.isRepeatable
                    ? try database.save(token: token, body) { $0.number ?? 0 }
                    : try database.writeOnce(token: token, body) { $0.number }
            }
            return (outcome.changes, outcome.number)
        }
    }
}
