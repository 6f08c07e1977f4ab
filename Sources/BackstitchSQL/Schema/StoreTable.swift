/// The table that identifies a store, in its database.
package enum StoreTable {
    /// The names of the values that it keeps.
    package enum Name: String {
        /// The store's identifier, a UUID.
        case identifier
        /// The text of the model's fingerprint.
        case model
        /// The hashes of the models that the store has had, as a JSON array of texts, the oldest first; absent before
        /// the first migration.
        case lineage
        /// The number of the format, where the database has no place of its own for it.
        case format
        /// There when the store keeps an outbox, see ``OutboxMark``.
        case outbox
        /// There once the program has chosen the key of an object, see ``KeyOwners``.
        case givenKeys
    }

    /// The table's name: a database that has one of that name is a store's.
    package static var name: String { SystemTables.store }

    /// The query for all values, with their names.
    static var all: String { "SELECT name, value FROM \(SystemTables.store)" }

    /// The query for the names of those of these values that are there.
    static func query(forNamesOf names: [Name]) -> String {
        "SELECT name FROM \(SystemTables.store) WHERE name IN (\(names.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }

    /// The query for a value.
    package static func query(for name: Name) -> String {
        "SELECT value FROM \(SystemTables.store) WHERE name = '\(name.rawValue)'"
    }

    /// The statement that keeps a value.
    package static func insert(_ value: String, for name: Name, dialect: some SQLDialect) -> SQLStatement {
        var statement = SQLStatement(
            dialect, "INSERT INTO \(SystemTables.store) (name, value) VALUES ('\(name.rawValue)', ")
        statement.append(.text(value))
        statement.append(")")
        return statement
    }

    /// The statement that keeps a value in place of another.
    package static func replace(_ value: String, for name: Name, dialect: some SQLDialect) -> SQLStatement {
        var statement = insert(value, for: name, dialect: dialect)
        statement.append(" ON CONFLICT (name) DO UPDATE SET value = excluded.value")
        return statement
    }
}
