import Backstitch
import BackstitchSQL
import GRDBSQLite

/// The identity that a database file states: its application, format and model.
struct SQLiteIdentity {
    /// Marks the database as ours: "Bstc" in ASCII.
    static let applicationID: Int32 = 0x4273_7463

    let applicationID: Int32
    let format: Int32
    /// Whether it has no tables.
    let isEmpty: Bool
    /// The model's text; nil in databases that are not ours.
    let model: String?
    /// The hashes of former models.
    let lineage: String?

    /// Reads it through `query`, which gives the first column of the first row as text, or nil.
    init(_ query: (String) throws -> String?) throws {
        applicationID = try query("PRAGMA application_id").flatMap { Int32($0) } ?? 0
        format = try query("PRAGMA user_version").flatMap { Int32($0) } ?? 0
        isEmpty = try query("SELECT 1 FROM sqlite_master LIMIT 1") == nil
        let isStore = applicationID == Self.applicationID && format == SystemTables.format && !isEmpty
        model = isStore ? try query(StoreTable.query(for: .model)) : nil
        lineage = isStore ? try query(StoreTable.query(for: .lineage)) : nil
    }

    /// Whether it is a database in which nobody has stored anything.
    var isBlank: Bool { applicationID == 0 && isEmpty }

    /// Throws unless it is a store of this format and of the configuration's model, or can be made one.
    ///
    /// - Returns: The migration that it needs.
    func check(_ configuration: StoreConfiguration, store: String) throws -> StoreMigration? {
        guard applicationID == Self.applicationID else {
            throw BackstitchError(
                .notADatabase,
                "\(store) is a database of another program (application id \(applicationID)); choose another "
                    + "file for the store"
            )
        }
        try SystemTables.check(format, of: store)
        guard let text = self.model else {
            throw BackstitchError(
                .storeFailure, "\(store) is damaged: it does not say of which model it is; restore it from a backup")
        }
        return try StoredModelMetadata(store: store, model: text, lineage: lineage).migration(for: configuration)
    }
}
