import BackstitchSQL

@testable import BackstitchServer

/// Fills the tables of a storage. For each of the few present rows it makes many similar ones.
struct PlanData {
    /// Rows that each row becomes.
    static let copies = 3_000
    /// The same for tables of short rows: a database reads a few pages whole, because that is quicker.
    private static let copiesOfShort = 30_000
    private static let short: Set<String> = [
        "answer", "identity_change", "replaced_token", "sign_in_token", "spent_signature",
    ]

    /// Columns whose texts differ between copies of a row. Kinds and states stay equal.
    private static let texts: Set<String> = [
        "address", "alias", "email", "email_key", "field", "guid", "id", "key", "name", "record", "root", "share",
        "source", "subject", "target", "user", "account", "zone_name",
    ]
    private static let numbers: Set<String> = [
        "begun", "changed", "created", "ends", "expires", "modified", "owner_sequence", "registered", "revision",
        "seen",
        "sequence", "time", "uploaded", "used",
    ]
    /// Further columns of single tables.
    private static let ofTables: [String: Set<String>] = [
        "ended_share": ["number"], "owner": ["owner_id"], "query_index": ["number"], "share": ["number"],
        "shared_zone": ["owner_id"], "zone": ["zone_id"], "asset": ["checksum"], "asset_removal": ["checksum"],
        "push_token": ["digest"], "credential": ["digest"], "replaced_token": ["digest"], "sign_in_token": ["digest"],
        "wake_device": ["digest"], "spent_signature": ["mark"], "query_entry": ["key"],
    ]
    /// Columns that name required rows of other tables.
    private static let kept: [String: Set<String>] = [
        "participant": ["share"]
    ]

    let transaction: ZoneTransaction

    /// - Returns: The names of all tables.
    func fill() throws -> [String] {
        let tables = try transaction.connection.describeTables()
        for table in tables where !PlanRules.small.contains(table.name) { try fill(table) }
        return tables.map(\.name)
    }

    private func fill(_ table: SQLTableDescription) throws {
        let columns = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let values = table.columns.map { value($0, table.name) }.joined(separator: ", ")
        let copies = Self.short.contains(table.name) ? Self.copiesOfShort : Self.copies
        let text: SQLText = """
            WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < \(copies))
            INSERT INTO "\(names: table.name)" (\(names: columns))
            SELECT \(names: values) FROM (SELECT * FROM "\(names: table.name)" LIMIT 3) AS r CROSS JOIN series
            WHERE 1 = 1 ON CONFLICT DO NOTHING
            """
        try transaction.execute(text)
    }

    private func value(_ column: SQLTableDescription.Column, _ table: String) -> String {
        let name = column.name, quoted = "r.\"\(name)\""
        // A parent has ten children.
        if name == "parent" { return "\(quoted) || '-' || (n / 10)" }
        let ofTable = Self.ofTables[table] ?? [], isKept = Self.kept[table]?.contains(name) == true
        let varies =
            !isKept
            && (ofTable.contains(name) || (column.kind == .text && Self.texts.contains(name))
                || (column.kind == .integer && Self.numbers.contains(name)))
        guard varies else { return quoted }
        return switch column.kind {
        case .integer: "\(quoted) + n"
        case .bytes:
            transaction.dialect.isRemote
                ? "\(quoted) || convert_to(CAST(n AS text), 'UTF8')" : "CAST(\(quoted) || n AS BLOB)"
        case .text: "\(quoted) || '-' || n"
        case .flag, nil: quoted
        }
    }
}
