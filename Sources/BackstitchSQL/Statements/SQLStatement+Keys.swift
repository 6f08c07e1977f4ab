package import Backstitch
import BackstitchSupport

extension SQLStatement {
    /// Adds the condition that the expression before it is one of `keys`, which came from ``keyChunks(_:dialect:)``.
    package mutating func append(isOneOf keys: ArraySlice<ObjectKey>) { dialect.append(isOneOf: keys, to: &self) }

    /// `keys` in parts that one statement each can take.
    package static func keyChunks(_ keys: [ObjectKey], dialect: some SQLDialect) -> [ArraySlice<ObjectKey>] {
        guard !keys.isEmpty else { return [] }
        return keys.parts(of: dialect.maximumKeys ?? keys.count)
    }
}
