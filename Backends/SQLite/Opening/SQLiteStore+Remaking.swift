package import Backstitch
import BackstitchSQL

extension SQLiteStore {
    /// An empty store in memory, made of this one, which is closed by that: the tables are there, and statements stay
    /// prepared. A test that needs thousands of stores one after another spends much of its time on these otherwise.
    ///
    /// - Parameter configuration: As for a new store in memory, with the model that this store has.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when this store or the new one is in a file; what the database
    ///   throws.
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

    /// Removes all rows but those that a store is made with.
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
