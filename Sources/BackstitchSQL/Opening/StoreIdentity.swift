package import Backstitch
package import Foundation

/// The identity of a database: whether it contains a store, with its format and model.
package struct StoreIdentity: Sendable {
    /// Whether the database is empty.
    package let isBlank: Bool
    /// The identifier of the store; nil for a database without one.
    package var identifier: String? { values[StoreTable.Name.identifier.rawValue] }

    /// Nil for a database of another program.
    private let format: Int32?
    private let values: [String: String]

    /// Creates the identity from the content of the database.
    ///
    /// - Parameters:
    ///   - isStore: Whether the table that identifies a store exists and has this project's form.
    ///   - format: The format, if the database has a place of its own for it. Otherwise it is among `values`.
    ///   - values: The content of that table, see ``StoreTable/values(on:)``. Read it all at once, because another
    ///     process may be migrating the store.
    package init(isBlank: Bool, isStore: Bool, format: Int32? = nil, values: [String: String]) {
        self.isBlank = isBlank
        self.format =
            isStore ? format ?? values[StoreTable.Name.format.rawValue].flatMap { Int32($0) } ?? 0 : nil
        self.values = values
    }

    /// Throws unless the database is a store with this format and the configuration's model, or can be migrated to it.
    ///
    /// - Parameter store: The name of the store in messages.
    /// - Parameter stranger: The end of the message for another program's database: its kind, and possible help.
    /// - Returns: The migration that the store needs; nil for none.
    package func check(
        _ configuration: StoreConfiguration, store: String, stranger: @autoclosure () -> String
    ) throws -> StoreMigration? {
        guard let format else { throw BackstitchError(.notADatabase, "\(store) \(stranger())") }
        try SystemTables.check(format, of: store)
        guard let model = values[StoreTable.Name.model.rawValue] else {
            throw BackstitchError(
                .storeFailure, "\(store) is damaged: it does not name its model; restore it from a backup")
        }
        let lineage = values[StoreTable.Name.lineage.rawValue]
        return try StoredModelMetadata(store: store, model: model, lineage: lineage).migration(for: configuration)
    }

    /// Throws if the database belongs to another program, because it must not be removed then.
    package func checkRemoval(store: String, stranger: @autoclosure () -> String) throws {
        guard isBlank || format != nil else {
            throw BackstitchError(.notADatabase, "\(store) \(stranger()), and was left as it is")
        }
    }
}

extension StoreTable {
    /// The identifier of a store.
    ///
    /// - Parameter store: The name of the store in the message.
    /// - Throws: ``BackstitchError/Code/storeFailure`` if the store has none.
    package static func identifier(on connection: any SQLConnection, store: String) throws -> UUID {
        var text: String?
        try connection.forEachRow(of: SQLStatement(connection.dialect, query(for: .identifier))) { text = $0.text(0) }
        guard let identifier = text.flatMap({ UUID(uuidString: $0) }) else {
            throw BackstitchError(
                .storeFailure, "\(store) is damaged: its identifier is gone; restore it from a backup")
        }
        return identifier
    }

    /// The whole content of the table, by name.
    package static func values(on connection: any SQLConnection) throws -> [String: String] {
        var values: [String: String] = [:]
        try connection.forEachRow(of: SQLStatement(connection.dialect, all)) { values[$0.text(0)] = $0.text(1) }
        return values
    }
}
