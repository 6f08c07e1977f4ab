import Backstitch
import BackstitchSQL

/// The SQL of SQLite, 3.35 or newer.
///
/// | cell | column |
/// |---|---|
/// | integers | `INTEGER` |
/// | boolean | `INTEGER` (0, 1) |
/// | date | `INTEGER`, milliseconds since 1970 |
/// | double, float | no type: a `REAL` would turn -0.0 into 0, since it keeps whole numbers as integers |
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

    /// Written as `IS NOT`, because `IS DISTINCT FROM` is only in 3.39 and later.
    var isDistinctFrom: String { "IS NOT" }

    func rowLock(_ lock: SQLRowLock, of table: String?) -> String { "" }

    func rows(ofTexts json: String) -> String { "(SELECT value AS wanted FROM json_each(\(json)))" }

    func naming(index: String) -> String { " INDEXED BY \(index)" }

    /// Names the index. SQLite itself prefers the table's own tree, because it needs no second look-up. It does so even
    /// if that tree serves fewer columns of the condition, because it does not know how many rows have the same values.
    func lookingUp(_ table: String, by index: String?) -> (before: String, after: String) {
        (" CROSS JOIN \(table)\(index.map { " INDEXED BY \($0)" } ?? "") WHERE ", "")
    }

    func turn(_ name: String) -> String? { nil }

    var readsInOrderOfKeys: Bool { true }

    var now: String { "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)" }
}

extension SQLDialect where Self == SQLiteDialect {
    /// The dialect of SQLite.
    static var sqlite: SQLiteDialect { SQLiteDialect() }
}

// MARK: Keys

extension SQLiteDialect {
    /// Enough keys to make the cost of a statement small beside theirs, and to prefetch a level with one statement.
    var maximumKeys: Int? { 50_000 }

    /// Up to this number of keys, each key has a placeholder.
    private static let longestList = 500

    func append(isOneOf keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement) {
        if keys.count > Self.longestList { return appendBlob(of: keys, to: &statement) }
        // Lists have few lengths, because the last key is repeated. So few statements are prepared.
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

    /// Adds many keys as one blob, which the statement splits by position.
    private func appendBlob(of keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement) {
        statement.append(" IN (WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 16 FROM n WHERE i + 16 < ")
        statement.append(.int(Int64(keys.count * 16)))
        statement.append(") SELECT substr(")
        statement.append(.keys(Array(keys)))
        statement.append(", i + 1, 16) FROM n)")
    }
}
