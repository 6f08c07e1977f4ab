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

/// The value in a Swift type: nil if it is null or of another case, as in ``Value/as(_:)``. Nothing is converted: an
/// integer is no double, and a text is no date.
extension Value {
    /// Returns the value in a Swift type; nil if it is null or of another type.
    ///
    /// ```swift
    /// row["rating"].as(Priority.self)
    /// ```
    public func `as`<Result: AttributeValue>(_ type: Result.Type = Result.self) -> Result? { Result(self) }

    /// The truth value, if the value is ``bool(_:)``; otherwise nil.
    public var bool: Bool? { `as`() }
    /// The integer, if the value is ``int(_:)``; otherwise nil.
    public var int: Int? { `as`() }
    /// The number, if the value is ``double(_:)``; otherwise nil.
    public var double: Double? { `as`() }
    /// The number, if the value is ``decimal(_:)``; otherwise nil.
    public var decimal: Decimal? { `as`() }
    /// The text, if the value is ``string(_:)``; otherwise nil.
    public var string: String? { `as`() }
    /// The date, if the value is ``date(_:)``; otherwise nil.
    public var date: Date? { `as`() }
    /// The bytes, if the value is ``data(_:)``; otherwise nil.
    public var data: Data? { `as`() }
    /// The UUID, if the value is ``uuid(_:)``; otherwise nil.
    public var uuid: UUID? { `as`() }
    /// The URI, if the value is ``uri(_:)``; otherwise nil.
    public var uri: URL? { `as`() }
    /// The asset, if the value is ``asset(_:)``; otherwise nil.
    public var asset: AssetReference? {
        if case .asset(let value) = self { value } else { nil }
    }
    /// The identity, if the value is ``object(_:)``; otherwise nil.
    public var object: ObjectID? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension Value: ExpressibleByStringInterpolation {}

extension Value: CustomStringConvertible {
    /// The value in readable form: `Buy thread`, `3`, `2026-01-01T00:00:00Z`; `null` for no value. Bytes and assets
    /// print as their size, an object as its identity. Every value has a text, even a date that Foundation cannot
    /// describe.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date(let value): value.text
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): "\(value)"
        case .uri(let value): value.absoluteString
        case .asset(let value): "asset of \(value.size) bytes"
        case .file(let value): "file of \(value.reference.size) bytes"
        case .object(let value): "\(value)"
        }
    }
}

extension Value: CustomDebugStringConvertible {
    /// The value with its type: `the string "Buy thread"`. Long texts are cut.
    public var debugDescription: String { summary }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// Makes a string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer from a literal.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Makes a double from a literal.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Makes a truth value from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Value {
    /// The eight bytes of a number, boolean or date in a cell; nil for other values.
    @inline(__always)
    var numberBits: UInt64? {
        switch self {
        case .int(let number): UInt64(bitPattern: number)
        case .double(let number): number.bitPattern
        case .bool(let flag): flag ? 1 : 0
        case .date(let date): UInt64(bitPattern: date.milliseconds)
        default: nil
        }
    }

    /// Creates the number, boolean or date of a cell's eight bytes.
    @inline(__always)
    init(numberBits bits: UInt64, _ kind: ResolvedProperty.CellKind) {
        switch kind {
        case .integer: self = .int(Int64(bitPattern: bits))
        case .double: self = .double(Double(bitPattern: bits))
        case .boolean: self = .bool(bits != 0)
        case .date: self = .date(Date(milliseconds: Int64(bitPattern: bits)))
        case .text, .bytes: self = .null
        }
    }
}
