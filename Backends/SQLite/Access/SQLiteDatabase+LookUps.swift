import Backstitch
import BackstitchSQL
import GRDB
import GRDBSQLite

// Requests of one short statement, outside the pool if possible.
extension SQLiteDatabase {
    /// Runs `body`, which runs one frequent statement, with a connection for reading.
    package func look<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        // A caller with an open journal must read the journal's state.
        guard let lookUps, !isInJournal else { return try read(isSnapshot: false, body) }
        return try request {
            let result = try lookUps.use {
                try body(connection($0))
            }
            if let result { return result }
            return try connections.unsafeReentrantRead {
                try body(connection($0))
            }
        }
    }

    /// The row of a key, or no row. Nil when it must be read in another way, because the connection for look-ups is in
    /// use or the journal is open.
    ///
    /// Callers wait for each step of a look-up outside SQLite, so this method does not use the general path of reads.
    func row(of entity: ResolvedEntity, key: ObjectKey, _ query: String) throws -> RowBatch? {
        guard let lookUps, !isInJournal else { return nil }
        return try request {
            try lookUps.use { source in
                counter.count()
                var builder = RowBatchBuilder(entity: entity, capacity: 1)
                try source.use(query, stays: true) { try $0.appendRow(of: entity, key: key, to: &builder) }
                return builder.finish()
            }
        }
    }
}

extension PreparedStatement {
    /// Runs a query with a key as its parameter, and appends the first row of the result, if any.
    fileprivate func appendRow(
        of entity: ResolvedEntity, key: ObjectKey, to builder: inout RowBatchBuilder
    ) throws {
        try key.withBytes { bytes in
            // The bytes stay in place until the statement has run.
            try check(sqlite3_bind_blob(pointer, 1, bytes.baseAddress, 16, nil))
            if try step() { try SQLiteRowDecoder(entity, firstColumn: 0).append(pointer, to: &builder) }
        }
    }
}
