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
        return try content.naming(request.namesAssets) {
            try execute(request, timestamp: timestamp)
        }
    }

    private func execute(_ request: StoreBatchRequest, timestamp: Int64) throws -> StoreChanges {
        try own { token in
            let outcome = try outbox.write { keepsOutbox in
                try database.write { connection in
                    try database.inJournal {
                        try BatchWriter(connection, statements: statements, keepsOutbox: keepsOutbox, keep: keep)
                            .write(request, timestamp: timestamp, token: token)
                    }
                }
            }
            return (outcome.changes, outcome.number)
        }
    }
}
