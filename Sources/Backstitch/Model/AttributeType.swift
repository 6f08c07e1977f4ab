/// The type of an attribute's values. Each type has one form in memory, in SQL and on the wire.
public enum AttributeType: Hashable, Sendable {
    /// A 16-bit integer (`Int`, `Int16`).
    case integer16
    /// A 32-bit integer (`Int`, `Int32`).
    case integer32
    /// A 64-bit integer (`Int`, `Int64`).
    case integer64
    /// An exact decimal number (`Decimal`, 38 digits).
    case decimal
    /// A 64-bit floating-point number (`Double`).
    case double
    /// A 32-bit floating-point number (`Float`).
    case float
    /// Text of any length (`String`).
    case string
    /// True or false (`Bool`).
    case boolean
    /// A date, to the millisecond (`Date`).
    case date
    /// Bytes in memory or external storage (`Data`, `Asset`).
    case binary
    /// A universally unique identifier (`UUID`).
    case uuid
    /// A uniform resource identifier (`URL`).
    case uri
    /// Any value; the model's transformer of this name turns it into bytes and back.
    case transformable(transformer: String)
}

extension AttributeType: CustomStringConvertible {
    /// The type's name, as it is stored with the model.
    public var description: String {
        switch self {
        case .integer16: "integer16"
        case .integer32: "integer32"
        case .integer64: "integer64"
        case .decimal: "decimal"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .boolean: "boolean"
        case .date: "date"
        case .binary: "binary"
        case .uuid: "uuid"
        case .uri: "uri"
        case .transformable(let transformer): "transformable(\(transformer))"
        }
    }
}
