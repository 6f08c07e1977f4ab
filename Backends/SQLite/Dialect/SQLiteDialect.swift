import Backstitch
import BackstitchSQL

/// SQLite's SQL, 3.35 or newer.
///
/// | cell | column |
/// |---|---|
/// | integers | `INTEGER` |
/// | boolean | `INTEGER` (0, 1) |
/// | date | `INTEGER`, milliseconds since 1970 |
/// | double, float | of no type: a `REAL` would turn -0.0 into 0, since it keeps whole numbers as integers |
/// | decimal | `TEXT`, canonical |
/// | string, URI, external binary | `TEXT` |
/// | binary, transformable | `BLOB` |
/// | UUID, to-one | `BLOB`, 16 bytes |
struct SQLiteDialect: SQLDialect {
    var predicates: any SQLPredicateDialect { SQLitePredicateDialect() }

    func placeholder(_ number: Int) -> String { "?" }

    var isRemote: Bool { false }

    func rows(ofArrays types: [SQLBulkType]) -> String? { nil }

    func copy(into table: String, _ columns: [String]) -> String? { nil }

    /// `IS DISTINCT FROM` came with 3.39.
    var isDistinctFrom: String { "IS NOT" }

    func rowLock(_ lock: SQLRowLock, of table: String?) -> String { "" }

    func rows(ofTexts json: String) -> String { "(SELECT value AS wanted FROM json_each(\(json)))" }

    /// Of two indexes SQLite takes the table's own tree, which costs no second look-up, even where fewer columns search
    /// it: it knows nothing of how many rows have the same.
    func lookingUp(_ table: String, by index: String?) -> (before: String, after: String) {
        (" CROSS JOIN \(table)\(index.map { " INDEXED BY \($0)" } ?? "") WHERE ", "")
    }

    func turn(_ name: String) -> String? { nil }

    var readsInOrderOfKeys: Bool { true }

    var now: String { "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)" }
}

extension SQLDialect where Self == SQLiteDialect {
    /// SQLite's SQL.
    static var sqlite: SQLiteDialect { SQLiteDialect() }
}

// MARK: Keys

extension SQLiteDialect {
    /// Enough to make the cost of a statement small beside theirs, and one for a level of prefetching.
    var maximumKeys: Int? { 50_000 }

    /// Up to so many keys have a placeholder each.
    private static let longestList = 500

    func append(isOneOf keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement) {
        if keys.count > Self.longestList { return appendBlob(of: keys, to: &statement) }
        // Lists come in few lengths, the last key repeated, so that few statements are prepared.
        let length = [1, 8, 64].first { $0 >= keys.count } ?? Self.longestList
        statement.append(" IN (")
        for (index, key) in keys.enumerated() {
            if index > 0 { statement.append(", ") }
            statement.append(.key(key))
        }
        if let last = keys.last {
            for _ in keys.count..<max(length, keys.count) {
                statement.append(", ")
                statement.append(.key(last))
            }
        }
        statement.append(")")
    }

    /// Many keys as one blob, which is cut by position.
    private func appendBlob(of keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement) {
        statement.append(" IN (WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 16 FROM n WHERE i + 16 < ")
        statement.append(.int(Int64(keys.count * 16)))
        statement.append(") SELECT substr(")
        statement.append(.keys(Array(keys)))
        statement.append(", i + 1, 16) FROM n)")
    }
}
