package import Backstitch
import BackstitchSupport

extension SQLStatement {
    /// Adds the condition that the expression before it is one of `keys`, a part from ``keyChunks(_:dialect:)``.
    package mutating func append(isOneOf keys: ArraySlice<ObjectKey>) { dialect.append(isOneOf: keys, to: &self) }

    /// Splits `keys` into parts of the size for one statement.
    package static func keyChunks(_ keys: [ObjectKey], dialect: some SQLDialect) -> [ArraySlice<ObjectKey>] {
        guard !keys.isEmpty else { return [] }
        return keys.parts(of: dialect.maximumKeys ?? keys.count)
    }
}
