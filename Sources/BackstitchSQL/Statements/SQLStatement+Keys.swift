package import Backstitch

extension SQLStatement {
    /// How many keys one statement of SQLite takes: enough to make its cost small beside theirs.
    private static let keysPerStatement = 500

    /// Adds the condition that the expression before it is one of `keys`, which came from ``keyChunks(_:dialect:)``.
    package mutating func append(isOneOf keys: ArraySlice<ObjectKey>) {
        switch dialect {
        case .postgreSQL:
            append(" = ANY (")
            append(.keys(Array(keys)))
            append(")")
        case .sqlite:
            // Lists come in few lengths, the last key repeated, so that few statements are prepared.
            let length = [1, 8, 64].first { $0 >= keys.count } ?? Self.keysPerStatement
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

    /// `keys` in parts that one statement each can take; for PostgreSQL all at once.
    package static func keyChunks(_ keys: [ObjectKey], dialect: SQLDialect) -> [ArraySlice<ObjectKey>] {
        guard !keys.isEmpty else { return [] }
        guard dialect == .sqlite else { return [keys[...]] }
        return stride(from: 0, to: keys.count, by: keysPerStatement).map {
            keys[$0..<min($0 + keysPerStatement, keys.count)]
        }
    }
}
