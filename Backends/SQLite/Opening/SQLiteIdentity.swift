import Backstitch
import BackstitchSQL
import Foundation

/// The identity of a database file: its application, and its format and model from its tables.
struct SQLiteIdentity {
    /// The application identifier of this project: "Bstc" in ASCII.
    static let applicationID: Int32 = 0x4273_7463

    private let applicationID: Int32
    private let content: StoreIdentity

    /// Reads the identity with `query`, which returns the first column of the first row as text, or nil.
    init(_ query: (String) throws -> String?) throws {
        applicationID = try query("PRAGMA application_id").flatMap { Int32($0) } ?? 0
        let format = try query("PRAGMA user_version").flatMap { Int32($0) } ?? 0
        let isEmpty = try query("SELECT 1 FROM sqlite_master LIMIT 1") == nil
        var values: [String: String] = [:]
        if applicationID == Self.applicationID, format == SystemTables.format, !isEmpty {
            for name in [StoreTable.Name.identifier, .model, .lineage] {
                values[name.rawValue] = try query(StoreTable.query(for: name))
            }
        }
        content = StoreIdentity(
            isBlank: applicationID == 0 && isEmpty, isStore: applicationID == Self.applicationID, format: format,
            values: values)
    }

    /// Whether the database is empty and of no application.
    var isBlank: Bool { content.isBlank }

    /// Whether it is a store of this project, in any state.
    var isStore: Bool { applicationID == Self.applicationID }

    /// The store's identifier; nil unless it is a store of this format.
    var identifier: UUID? { content.identifier.flatMap { UUID(uuidString: $0) } }

    /// Throws unless it is a store of this format and the configuration's model, or can be migrated to it.
    ///
    /// - Returns: The migration that the store needs; nil for none.
    func check(_ configuration: StoreConfiguration, store: String) throws -> StoreMigration? {
        try content.check(
            configuration, store: store,
            stranger: "is a database of another program (application id \(applicationID)); choose another file for the "
                + "store")
    }

    /// Throws if the database belongs to another program.
    func checkRemoval(store: String) throws {
        try content.checkRemoval(store: store, stranger: "is a database of another program")
    }
}
