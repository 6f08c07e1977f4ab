/// A table, in the description of the database.
package struct SQLTableDescription: Sendable, Hashable {
    /// The types of system tables; see ``SQLSystemTypes``.
    package enum Kind: String, Sendable {
        case text, integer, bytes, flag
    }

    /// A column of the table, with its type.
    package struct Column: Sendable, Hashable {
        package let name: String
        /// Nil for a type that no system table has.
        package let kind: Kind?
    }

    package let name: String
    package var columns: [Column] = []
}
