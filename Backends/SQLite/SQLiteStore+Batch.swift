public import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// Inserts, changes or deletes many rows in one transaction, with history, and the outbox where there is one.
    ///
    /// Closures of the request may read the store and must not write to it: that throws.
    ///
    /// - Throws: As ``PersistentStore/execute(_:)``.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        let timestamp = configuration.clock.milliseconds()
        return try own { token in
            let outcome = try database.write { connection in
                try database.inJournal {
                    try BatchWriter(connection, statements: statements, keepsOutbox: configuration.keepsOutbox)
                        .write(request, timestamp: timestamp, token: token)
                }
            }
            return (outcome.changes, outcome.number)
        }
    }
}
