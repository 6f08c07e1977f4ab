import Backstitch
import BackstitchSQL
import Foundation

/// The identity that a database file states: its application, and by its tables its format and model.
struct SQLiteIdentity {
    /// Marks the database as ours: "Bstc" in ASCII.
    static let applicationID: Int32 = 0x4273_7463

    private let applicationID: Int32
    private let content: StoreIdentity

    /// Reads it through `query`, which gives the first column of the first row as text, or nil.
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

    /// Whether it is a database in which nobody has stored anything.
    var isBlank: Bool { content.isBlank }

    /// Whether it is a store of ours, whatever its state.
    var isStore: Bool { applicationID == Self.applicationID }

    /// The store's identifier; nil where it is no store of this format.
    var identifier: UUID? { content.identifier.flatMap { UUID(uuidString: $0) } }

    /// Throws unless it is a store of this format and of the configuration's model, or can be made one.
    ///
    /// - Returns: The migration that it needs.
    func check(_ configuration: StoreConfiguration, store: String) throws -> StoreMigration? {
        try content.check(
            configuration, store: store,
            stranger: "is a database of another program (application id \(applicationID)); choose another file for the "
                + "store")
    }

    /// Throws when it is another program's.
    func checkRemoval(store: String) throws {
        try content.checkRemoval(store: store, stranger: "is a database of another program")
    }
}
