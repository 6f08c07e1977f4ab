import Backstitch
import CLibPQ

/// A type of PostgreSQL, by its number in the catalogue. The number is the same on every server.
struct PostgreSQLType: Hashable, Sendable {
    let oid: Oid

    init(_ oid: Oid) { self.oid = oid }

    /// Leaves the choice of the type to the server.
    static let unspecified = PostgreSQLType(0)
    static let boolean = PostgreSQLType(16)
    static let bytes = PostgreSQLType(17)
    static let bigint = PostgreSQLType(20)
    static let smallint = PostgreSQLType(21)
    static let integer = PostgreSQLType(23)
    static let text = PostgreSQLType(25)
    static let double = PostgreSQLType(701)
    static let numeric = PostgreSQLType(1700)
    static let uuid = PostgreSQLType(2950)

    /// The type of arrays with elements of this type.
    var array: PostgreSQLType {
        switch self {
        case .boolean: PostgreSQLType(1000)
        case .bytes: PostgreSQLType(1001)
        case .smallint: PostgreSQLType(1005)
        case .integer: PostgreSQLType(1007)
        case .text: PostgreSQLType(1009)
        case .bigint: PostgreSQLType(1016)
        case .double: PostgreSQLType(1022)
        case .numeric: PostgreSQLType(1231)
        case .uuid: PostgreSQLType(2951)
        default: .unspecified
        }
    }

    /// Whether a column of this type may arrive with the other type: the same type, or another type of integers.
    func takes(_ other: PostgreSQLType) -> Bool { self == other || isInteger && other.isInteger }

    private var isInteger: Bool { self == .smallint || self == .integer || self == .bigint }

    /// Creates the type of a property's column. ``PostgreSQLDialect/bareType(of:)`` has its name.
    init(_ property: ResolvedProperty) {
        guard let attribute = property.attribute else {
            self = .uuid
            return
        }
        switch attribute.type {
        case .integer16: self = .smallint
        case .integer32: self = .integer
        case .integer64, .date: self = .bigint
        case .boolean: self = .boolean
        case .double, .float: self = .double
        case .decimal: self = .numeric
        case .string, .uri: self = .text
        case .binary: self = attribute.allowsExternalStorage ? .text : .bytes
        case .transformable: self = .bytes
        case .uuid: self = .uuid
        }
    }
}
