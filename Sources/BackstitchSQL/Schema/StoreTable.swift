/// The table that identifies a store in its database.
package enum StoreTable {
    /// The names of its values.
    package enum Name: String {
        /// The store's identifier, a UUID.
        case identifier
        /// The text of the model's fingerprint.
        case model
        /// The hashes of the store's former and present models, as a JSON array of texts, the oldest first. Absent
        /// before the first migration.
        case lineage
        /// The number of the format, if the database has no place of its own for it.
        case format
        /// Present if the store keeps an outbox, see ``OutboxMark``.
        case outbox
        /// Present after the program has chosen the key of an object, see ``KeyOwners``.
        case givenKeys
        /// The mark of the database's log, if it has one in a file of its own.
        case log
    }

    /// The table's name. A database with a table of that name belongs to a store.
    package static var name: String { SystemTables.store }

    /// The query for all values, with their names.
    static var all: String { "SELECT name, value FROM \(SystemTables.store)" }

    /// The query for the names of those values that exist.
    static func query(forNamesOf names: [Name]) -> String {
        "SELECT name FROM \(SystemTables.store) WHERE name IN (\(names.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }

    /// The query for one value.
    package static func query(for name: Name) -> String {
        "SELECT value FROM \(SystemTables.store) WHERE name = '\(name.rawValue)'"
    }

    /// Adds a row without any meaning, so that a transaction writes something.
    package static var insertPlaceholder: String { "INSERT INTO \(SystemTables.store) (name, value) VALUES ('', '')" }

    /// Removes the row without meaning.
    package static var deletePlaceholder: String { "DELETE FROM \(SystemTables.store) WHERE name = ''" }

    /// The statement that stores a new value.
    package static func insert(_ value: String, for name: Name, dialect: some SQLDialect) -> SQLStatement {
        var statement = SQLStatement(
            dialect, "INSERT INTO \(SystemTables.store) (name, value) VALUES ('\(name.rawValue)', ")
        statement.append(.text(value))
        statement.append(")")
        return statement
    }

    /// The statement that stores a value, or replaces it.
    package static func replace(_ value: String, for name: Name, dialect: some SQLDialect) -> SQLStatement {
        var statement = insert(value, for: name, dialect: dialect)
        statement.append(" ON CONFLICT (name) DO UPDATE SET value = excluded.value")
        return statement
    }
}
