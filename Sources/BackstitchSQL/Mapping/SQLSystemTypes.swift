import Backstitch

/// The column types of the system tables that each store has, and of keys and versions.
package struct SQLSystemTypes: Sendable {
    package let text: String
    package let integer: String
    package let bytes: String
    package let key: String
    /// The type of truth values. Their two values are written with ``SQLDialect/literal(_:)-(Bool)``.
    package let flag: String

    /// Creates the types from their names in table declarations. Text is compared by its bytes.
    package init(text: String, integer: String, bytes: String, key: String, flag: String) {
        self.text = text
        self.integer = integer
        self.bytes = bytes
        self.key = key
        self.flag = flag
    }
}
