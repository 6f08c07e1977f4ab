package import Backstitch

extension SQLStatement {
    /// How many keys one statement of SQLite takes: enough to make its cost small beside theirs, and one for a level of prefetching.
    private static let keysPerStatement = 50_000
    /// Up to so many keys have a placeholder each.
    private static let longestList = 500

    /// Adds the condition that the expression before it is one of `keys`, which came from ``keyChunks(_:dialect:)``.
    package mutating func append(isOneOf keys: ArraySlice<ObjectKey>) {
        switch dialect {
        case .postgreSQL:
            append(" = ANY (")
            append(.keys(Array(keys)))
            append(")")
        case .sqlite:
            if keys.count > Self.longestList { return appendBlob(of: keys) }
            // Lists come in few lengths, the last key repeated, so that few statements are prepared.
            let length = [1, 8, 64].first { $0 >= keys.count } ?? Self.longestList
            append(" IN (")
            for (index, key) in keys.enumerated() {
                if index > 0 { append(", ") }
                append(.key(key))
            }
            if let last = keys.last {
                for _ in keys.count..<max(length, keys.count) {
                    append(", ")
                    append(.key(last))
                }
            }
            append(")")
        }
    }

    /// Many keys as one blob, which is cut by position.
    private mutating func appendBlob(of keys: ArraySlice<ObjectKey>) {
        append(" IN (WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 16 FROM n WHERE i + 16 < ")
        append(.int(Int64(keys.count * 16)))
        append(") SELECT substr(")
        append(.keys(Array(keys)))
        append(", i + 1, 16) FROM n)")
    }

    /// `keys` in parts that one statement each can take; for PostgreSQL all at once.
    package static func keyChunks(_ keys: [ObjectKey], dialect: SQLDialect) -> [ArraySlice<ObjectKey>] {
        guard !keys.isEmpty else { return [] }
        guard dialect == .sqlite else { return [keys[...]] }
        return stride(from: 0, to: keys.count, by: keysPerStatement).map {
            keys[$0..<min($0 + keysPerStatement, keys.count)]
        }
    }
}
