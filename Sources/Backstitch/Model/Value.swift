import BackstitchSupport
public import Foundation

/// A value of a property, as it is passed between objects, predicates, stores and the wire.
///
/// Equality is exact. Strings are equal if their UTF-8 bytes are, so objects, SQL and the server agree. Doubles are
/// equal if they are equal numbers or have equal bits, so NaN equals itself. Dates are equal to the millisecond. A
/// value never equals one of another case. Objects are equal if their keys are: the entity name may be the object's own
/// or an ancestor's.
public enum Value: Sendable {
    /// The property has no value.
    case null
    /// A truth value, for boolean attributes.
    case bool(Bool)
    /// An integer of any width.
    case int(Int64)
    /// A float or double.
    case double(Double)
    /// An exact decimal number of up to 38 digits.
    case decimal(Decimal)
    /// Text of any length.
    case string(String)
    /// A date, to the millisecond.
    case date(Date)
    /// Bytes; also a transformable value in its encoded form.
    case data(Data)
    /// A universally unique identifier (`UUID`).
    case uuid(UUID)
    /// A uniform resource identifier (`URL`).
    case uri(URL)
    /// Bytes kept outside the row (binary attributes with external storage).
    case asset(AssetReference)
    /// The bytes of a file, to be kept outside the row. The value represents them until the object is saved.
    case file(AssetFile)
    /// The destination of a to-one relationship.
    case object(ObjectID)

    /// Whether the value is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    /// Compares the values exactly; see the type.
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

    /// Hashes consistently with equality.
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
    /// Whether a column with cells of this kind keeps the value as it is.
    @inline(__always)
    func isPlain(_ kind: ResolvedProperty.CellKind) -> Bool {
        switch (self, kind) {
        case (.int, .integer), (.string, .text), (.double, .double), (.bool, .boolean), (.null, _): true
        default: false
        }
    }
}
