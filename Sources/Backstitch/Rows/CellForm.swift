/// How a database keeps the cells of a column, in few words: what reads and binds rows goes by it.
package enum CellForm: Sendable {
    /// Integers, booleans and dates.
    case integer
    /// Doubles and floats.
    case double
    /// Text, and what is kept as text.
    case text
    /// Bytes of any length.
    case bytes
    /// Exactly 16 bytes: UUIDs and the keys of objects.
    case key

    /// The form of an attribute's cells; of a to-one relationship's without one.
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
