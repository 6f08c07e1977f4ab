package import Backstitch

/// Makes the tables of a store, in a transaction that the caller has begun. No other transaction may run meanwhile.
package struct StoreMaker: Sendable {
    private let configuration: StoreConfiguration
    private let schema: SQLSchema

    /// Creates a maker of stores with the configuration's model.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` as ``SQLSchema/init(_:dialect:)``.
    package init(_ configuration: StoreConfiguration, dialect: some SQLDialect) throws {
        self.configuration = configuration
        schema = try SQLSchema(configuration.storedModel, dialect: dialect)
    }

    /// Makes the tables, and writes the store's identifier and model into them.
    ///
    /// - Parameters:
    ///   - before: The database's own statements before the tables, for things that the tables need.
    ///   - after: The statements after the tables.
    ///   - keepsFormat: Whether a table keeps the number of the format, because the database has no other place.
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
