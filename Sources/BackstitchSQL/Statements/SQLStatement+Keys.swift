package import Backstitch

extension SQLStatement {
    /// Adds the condition that the expression before it is one of `keys`, which came from ``keyChunks(_:dialect:)``.
    package mutating func append(isOneOf keys: ArraySlice<ObjectKey>) { dialect.append(isOneOf: keys, to: &self) }

    /// `keys` in parts that one statement each can take.
    package static func keyChunks(_ keys: [ObjectKey], dialect: some SQLDialect) -> [ArraySlice<ObjectKey>] {
        guard !keys.isEmpty else { return [] }
        return chunks(of: keys, dialect.maximumKeys ?? keys.count)
    }

    /// `keys` in parts of a length; the last may be shorter.
    static func chunks(of keys: [ObjectKey], _ length: Int) -> [ArraySlice<ObjectKey>] {
        stride(from: 0, to: keys.count, by: length).map { keys[$0..<min($0 + length, keys.count)] }
    }
}
