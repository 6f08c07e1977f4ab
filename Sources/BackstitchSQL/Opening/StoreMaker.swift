package import Backstitch

/// Makes the tables of a store, in a transaction that the caller has begun, with all others kept out.
package struct StoreMaker: Sendable {
    private let configuration: StoreConfiguration
    private let schema: SQLSchema

    /// A maker of stores with the configuration's model.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` as ``SQLSchema/init(_:dialect:)``.
    package init(_ configuration: StoreConfiguration, dialect: some SQLDialect) throws {
        self.configuration = configuration
        schema = try SQLSchema(configuration.storedModel, dialect: dialect)
    }

    /// Makes them.
    ///
    /// - Parameters:
    ///   - before: The database's own statements that come first: what the tables need.
    ///   - after: Those that come after the tables.
    ///   - keepsFormat: Whether the number of the format is kept in a table, since the database has no other place.
    package func make(
        on connection: any SQLConnection, before: [String] = [], after: [String] = [], keepsFormat: Bool = true
    ) throws {
        let dialect = connection.dialect
        for text in before + schema.statements() + after {
            var statement = SQLStatement(dialect, text)
            statement.isAdHoc = true
            try connection.run(statement)
        }
        var values: [(StoreTable.Name, String)] = [
            (.identifier, configuration.generator.next().uuidString),
            (.model, try ModelFingerprint(configuration.storedModel).text()),
        ]
        if keepsFormat { values.append((.format, String(SystemTables.format))) }
        for (name, value) in values { try connection.run(StoreTable.insert(value, for: name, dialect: dialect)) }
    }
}
