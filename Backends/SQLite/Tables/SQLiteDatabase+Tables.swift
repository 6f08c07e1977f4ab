import GRDB

extension SQLiteDatabase {
    /// Moves the content of the log into the file, except for pages that readers of older states still need. Without
    /// such readers the file alone is then the whole database, ready for a copy.
    package func checkpoint() throws {
        try request { try connections.writeWithoutTransaction { _ = try $0.checkpoint(.passive) } }
    }

    /// The bytes of the file's unused pages. New rows take them before the file grows.
    package func unusedBytes() throws -> Int64 {
        try request {
            try connections.read { database in
                let pages = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
                return pages * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
            }
        }
    }

    /// Copies a database in memory into another one in memory.
    package func copied() throws -> SQLiteDatabase {
        let copy = try DatabaseQueue()
        try request { try connections.backup(to: copy) }
        return SQLiteDatabase(copy, lookUps: nil, name: name, isReadOnly: false, foreignMigration: nil)
    }

    /// Replaces the content of this database by that of a copy.
    package func become(_ copy: SQLiteDatabase) throws {
        try request { try copy.connections.backup(to: connections) }
    }
}

extension SQLiteConnection {
    /// Calls `note` with the text of each statement that the connection runs from now on, also for transactions.
    package func trace(_ note: @escaping @Sendable (String) -> Void) {
        (source as? Database)?.trace { note("\($0)") }
    }
}
