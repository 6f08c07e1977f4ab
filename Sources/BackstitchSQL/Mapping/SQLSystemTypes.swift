import Backstitch

/// The types of the tables that each store has beside those of its model, and of keys and versions.
package struct SQLSystemTypes: Sendable {
    package let text: String
    package let integer: String
    package let bytes: String
    package let key: String
    /// Truth values, with ``SQLDialect/literal(_:)-(Bool)`` for the two.
    package let flag: String

    /// The names of the types, as tables declare them. Text is compared by its bytes.
    package init(text: String, integer: String, bytes: String, key: String, flag: String) {
        self.text = text
        self.integer = integer
        self.bytes = bytes
        self.key = key
        self.flag = flag
    }
}
