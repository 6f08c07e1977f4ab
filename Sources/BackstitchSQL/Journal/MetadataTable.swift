import Backstitch
import BackstitchSupport
import Foundation

/// The sync store's metadata in the database: values by key.
struct MetadataTable {
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) { self.connection = connection }

    func value(for key: String) throws -> Data? {
        var statement = SQLStatement(connection.dialect, "SELECT value FROM \(SystemTables.metadata) WHERE key = ")
        statement.append(.text(key))
        var value: Data?
        try connection.forEachRow(of: statement) { value = Data($0.bytes(0)) }
        return value
    }

    /// All values whose key has this prefix, in the order of keys.
    func values(withPrefix prefix: String) throws -> [(key: String, value: Data)] {
        var statement = query("key, value", withPrefix: prefix)
        statement.append(" ORDER BY key")
        var values: [(key: String, value: Data)] = []
        try connection.forEachRow(of: statement) { values.append(($0.text(0), Data($0.bytes(1)))) }
        return values
    }

    /// The values of these keys. Keys without a value are left out.
    func values(for keys: [String]) throws -> [String: Data] {
        var values: [String: Data] = [:]
        for part in keys.parts(of: 200) {
            var statement = SQLStatement(
                connection.dialect, "SELECT key, value FROM \(SystemTables.metadata) WHERE key IN (")
            for (number, key) in part.enumerated() {
                if number > 0 { statement.append(", ") }
                statement.append(.text(key))
            }
            statement.append(")")
            try connection.forEachRow(of: statement) { values[$0.text(0)] = Data($0.bytes(1)) }
        }
        return values
    }

    /// The values whose key has this prefix, in the order of keys: those after a key, if it is given, and `limit` at
    /// most.
    func values(withPrefix prefix: String, after key: String?, limit: Int) throws -> [(key: String, value: Data)] {
        var statement = query("key, value", withPrefix: prefix)
        if let key {
            statement.append(" AND key > ")
            statement.append(.text(key))
        }
        statement.append(" ORDER BY key LIMIT \(limit)")
        var values: [(key: String, value: Data)] = []
        try connection.forEachRow(of: statement) { values.append(($0.text(0), Data($0.bytes(1)))) }
        return values
    }

    /// Whether a value has a key with this prefix.
    func hasValue(withPrefix prefix: String) throws -> Bool {
        var statement = query("1", withPrefix: prefix)
        statement.append(" LIMIT 1")
        var isThere = false
        try connection.forEachRow(of: statement) { _ in isThere = true }
        return isThere
    }

    private func query(_ columns: String, withPrefix prefix: String) -> SQLStatement {
        var statement = SQLStatement(
            connection.dialect, "SELECT \(columns) FROM \(SystemTables.metadata) WHERE key >= ")
        statement.append(.text(prefix))
        if let end = Self.end(ofPrefix: prefix) {
            statement.append(" AND key < ")
            statement.append(.text(end))
        }
        return statement
    }

    /// Stores a value, or removes it when nil.
    func set(_ value: Data?, for key: String) throws {
        var statement: SQLStatement
        if let value {
            statement = SQLStatement(connection.dialect, "INSERT INTO \(SystemTables.metadata) (key, value) VALUES (")
            statement.append(.text(key))
            statement.append(", ")
            statement.append(.data(value))
            statement.append(") ON CONFLICT (key) DO UPDATE SET value = excluded.value")
        } else {
            statement = SQLStatement(connection.dialect, "DELETE FROM \(SystemTables.metadata) WHERE key = ")
            statement.append(.text(key))
        }
        try connection.run(statement)
    }

    /// The first text after all texts with `prefix`, in the order of UTF-8 bytes. That is the order of Unicode's
    /// scalars. Nil when no text follows them.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The values between U+D7FF and U+E000 are no scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                return String(String.UnicodeScalarView(scalars))
            }
        }
        return nil
    }
}
