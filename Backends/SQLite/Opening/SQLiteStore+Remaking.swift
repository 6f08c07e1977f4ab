package import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// Turns this store in memory into a new, empty one, and closes this store. The tables stay, and statements stay
    /// prepared. This saves much time in a test with thousands of stores.
    ///
    /// - Parameter configuration: The configuration of a new store in memory, with this store's model.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when this store or the new one is in a file; the database's
    ///   error.
    package func remade(_ configuration: StoreConfiguration) throws -> SQLiteStore {
        guard self.configuration.url == nil, configuration.url == nil else {
            throw BackstitchError(.invalidRequest, "only a store in memory can be made of another one in memory")
        }
        let identifier = configuration.generator.next().uuidString
        try database.write { connection in
            try Self.empty(connection)
            try connection.run(StoreTable.replace(identifier, for: .identifier, dialect: .sqlite))
        }
        return try SQLiteStore(configuration, inMemory: database.successor(of: ForeignMigration(configuration)))
    }

    /// Removes all rows except those of a new store.
    private static func empty(_ connection: SQLiteConnection) throws {
        var tables: [String] = []
        try connection.forEachRow(of: SQLStatement(.sqlite, "SELECT name FROM sqlite_schema WHERE type = 'table'")) {
            tables.append($0.text(0))
        }
        for table in tables where !SystemTables.keptWhenEmptied.contains(table) {
            try connection.run(SQLStatement(.sqlite, "DELETE FROM \(SQLNames.quoted(table))"))
        }
        try connection.run(SQLStatement(.sqlite, SystemTables.resetOfCounters))
    }
}
