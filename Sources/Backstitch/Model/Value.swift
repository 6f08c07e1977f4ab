import BackstitchSupport
public import Foundation

/// A value of a property, as it travels between objects, predicates, stores and the wire.
///
/// Equality is exact: strings are equal when their UTF-8 bytes are (so that objects, SQL and the server agree), doubles
/// when their bits are (so that NaN equals itself), and a value never equals one of another case. Objects are equal
/// when their keys are: whether one is called by its entity or by one above it makes no difference.
public enum Value: Sendable {
    /// No value.
    case null
    /// A truth value.
    case bool(Bool)
    /// An integer of any width.
    case int(Int64)
    /// A float or double.
    case double(Double)
    /// An exact decimal number of up to 38 digits.
    case decimal(Decimal)
    /// Text.
    case string(String)
    /// A date, to the millisecond.
    case date(Date)
    /// Bytes; also a transformable value in its encoded form.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URI.
    case uri(URL)
    /// Bytes kept outside the row (binary attributes with external storage).
    case asset(AssetReference)
    /// Bytes of a file that are to be kept outside the row: stands for them until the object is saved.
    case file(AssetFile)
    /// The object that a to-one relationship points to.
    case object(ObjectID)

    /// Whether it is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    /// Exact equality; see the type.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.string(let a), .string(let b)): a.isSame(as: b)
        case (.date(let a), .date(let b)): a.milliseconds == b.milliseconds
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.uri(let a), .uri(let b)): a.absoluteString.isSame(as: b.absoluteString)
        case (.asset(let a), .asset(let b)): a == b
        case (.file(let a), .file(let b)): a == b
        case (.object(let a), .object(let b)): a.key == b.key
        default: false
        }
    }

    /// Consistent with equality.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .string(let value): value.hashBytes(into: &hasher)
        case .date(let value): hasher.combine(value.milliseconds)
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .uri(let value): value.absoluteString.hashBytes(into: &hasher)
        case .asset(let value): hasher.combine(value)
        case .file(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value.key)
        }
    }
}

extension Value {
    /// Whether a column whose cells are of that kind keeps it as it is.
    @inline(__always)
    func isPlain(_ kind: ResolvedProperty.CellKind) -> Bool {
        switch (self, kind) {
        case (.int, .integer), (.string, .text), (.double, .double), (.bool, .boolean), (.null, _): true
        default: false
        }
    }
}
