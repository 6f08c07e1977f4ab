import Backstitch
import BackstitchSQL

/// The identity that a schema states: whether a store is in it, of which format and model.
struct PostgreSQLIdentity {
    /// Whether there is nothing in the schema, or no schema.
    let isBlank: Bool
    /// nil when the schema is no store's.
    let format: Int32?
    /// The model's text.
    let model: String?
    /// The hashes of former models.
    let lineage: String?
    /// The store's identifier.
    let identifier: String?

    init(_ connection: PostgreSQLConnection, schema: String) throws {
        var statement = SQLStatement(
            .postgreSQL,
            "SELECT c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = ")
        statement.append(.text(schema))
        var names: Set<String> = []
        try connection.forEachRow(of: statement) { names.insert($0.text(0)) }
        isBlank = names.isEmpty
        guard names.contains("backstitch_store") else {
            (format, model, lineage, identifier) = (nil, nil, nil, nil)
            return
        }
        // All at once: another process may be migrating the store just now.
        var values: [String: String] = [:]
        try connection.forEachRow(of: SQLStatement(.postgreSQL, StoreTable.all)) { values[$0.text(0)] = $0.text(1) }
        func value(_ name: StoreTable.Name) -> String? { values[name.rawValue] }
        format = value(.format).flatMap { Int32($0) } ?? 0
        model = value(.model)
        lineage = value(.lineage)
        identifier = value(.identifier)
    }

    /// Throws unless it is a store of this format and of the configuration's model, or can be made one.
    ///
    /// - Returns: The migration that it needs.
    func check(_ configuration: StoreConfiguration, store: String) throws -> StoreMigration? {
        guard let format else {
            throw BackstitchError(
                .notADatabase,
                "\(store) has tables of another program; choose another schema by the option postgresSchema")
        }
        try SystemTables.check(format, of: store)
        guard let text = self.model else {
            throw BackstitchError(
                .storeFailure, "\(store) is damaged: it does not say of which model it is; restore it from a backup")
        }
        return try StoredModelMetadata(store: store, model: text, lineage: lineage).migration(for: configuration)
    }
}
