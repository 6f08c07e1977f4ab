import GRDB

extension SQLiteDatabase {
    /// Moves what is in the log into the file, as far as nobody reads older states: the file alone is then the whole
    /// database, for whoever copies it.
    package func checkpoint() throws {
        try request { try connections.writeWithoutTransaction { _ = try $0.checkpoint(.passive) } }
    }

    /// A copy in memory of a database in memory.
    package func copied() throws -> SQLiteDatabase {
        let copy = try DatabaseQueue()
        try request { try connections.backup(to: copy) }
        return SQLiteDatabase(copy, lookUps: nil, name: name, isReadOnly: false, foreignMigration: nil)
    }

    /// Puts the content of a copy in the place of this one's.
    package func become(_ copy: SQLiteDatabase) throws {
        try request { try copy.connections.backup(to: connections) }
    }
}

extension SQLiteConnection {
    /// Has `note` told the text of each statement that the connection runs from now on, transactions too.
    package func trace(_ note: @escaping @Sendable (String) -> Void) {
        (source as? Database)?.trace { note("\($0)") }
    }
}
