/// The form of a column's cells in a database, in few words. Code that reads and binds rows depends on it.
package enum CellForm: Sendable {
    /// Integers, booleans and dates.
    case integer
    /// The numbers with a fraction: doubles and floats.
    case double
    /// Text, and values that are kept as text.
    case text
    /// Bytes of any length.
    case bytes
    /// Exactly 16 bytes: UUIDs and the keys of objects.
    case key

    /// Returns the form of an attribute's cells; without an attribute, of a to-one relationship's cells.
    init(_ attribute: AttributeDescription?) {
        guard let attribute else {
            self = .key
            return
        }
        self =
            switch attribute.type {
            case .integer16, .integer32, .integer64, .boolean, .date: .integer
            case .double, .float: .double
            case .decimal, .string, .uri: .text
            case .binary: attribute.allowsExternalStorage ? .text : .bytes
            case .transformable: .bytes
            case .uuid: .key
            }
    }
}
