package import Backstitch

/// The identity that a database states: whether a store is in it, of which format and model.
package struct StoreIdentity: Sendable {
    /// Whether nobody has stored anything there.
    package let isBlank: Bool
    /// The store's identifier.
    package var identifier: String? { values[StoreTable.Name.identifier.rawValue] }

    /// Nil where another program has stored something.
    private let format: Int32?
    private let values: [String: String]

    /// An identity.
    ///
    /// - Parameters:
    ///   - isStore: Whether the table that identifies a store is there, and ours.
    ///   - format: The format, where the database has a place of its own for it; else it is among `values`.
    ///   - values: The content of that table, see ``StoreTable/values(on:)``. Read it all at once: another process may
    ///     be migrating the store just now.
    package init(isBlank: Bool, isStore: Bool, format: Int32? = nil, values: [String: String]) {
        self.isBlank = isBlank
        self.format =
            isStore ? format ?? values[StoreTable.Name.format.rawValue].flatMap { Int32($0) } ?? 0 : nil
        self.values = values
    }

    /// Throws unless it is a store of this format and of the configuration's model, or can be made one.
    ///
    /// - Parameters:
    ///   - store: The name of the store in messages.
    ///   - stranger: The end of the message for another program's database: what it is, and what to do.
    /// - Returns: The migration that it needs.
    package func check(
        _ configuration: StoreConfiguration, store: String, stranger: @autoclosure () -> String
    ) throws -> StoreMigration? {
        guard let format else { throw BackstitchError(.notADatabase, "\(store) \(stranger())") }
        try SystemTables.check(format, of: store)
        guard let model = values[StoreTable.Name.model.rawValue] else {
            throw BackstitchError(
                .storeFailure, "\(store) is damaged: it does not say of which model it is; restore it from a backup")
        }
        let lineage = values[StoreTable.Name.lineage.rawValue]
        return try StoredModelMetadata(store: store, model: model, lineage: lineage).migration(for: configuration)
    }

    /// Throws when it is another program's, and so must not be removed.
    package func checkRemoval(store: String, stranger: @autoclosure () -> String) throws {
        guard isBlank || format != nil else {
            throw BackstitchError(.notADatabase, "\(store) \(stranger()), and was left as it is")
        }
    }
}

extension StoreTable {
    /// All that the table holds, by name.
    package static func values(on connection: any SQLConnection) throws -> [String: String] {
        var values: [String: String] = [:]
        try connection.forEachRow(of: SQLStatement(connection.dialect, all)) { values[$0.text(0)] = $0.text(1) }
        return values
    }
}
