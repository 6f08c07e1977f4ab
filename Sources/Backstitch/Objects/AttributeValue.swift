public import Foundation

/// A Swift type that an attribute can be read as and set from.
///
/// An enumeration whose raw value is one conforms by saying so. One that lists its cases needs nothing more, and is its
/// first case where the attribute has no value; any other says what it is then.
///
/// ```swift
/// enum Priority: Int, CaseIterable, AttributeValue { case low, normal, high }
///
/// enum Mood: String, AttributeValue {
///     case good, bad
///     static var missing: Mood { .good }
/// }
///
/// final class Todo: ManagedObject {
///     // .attribute("priority", .integer64)
///     var priority: Priority { get { self["priority"] } set { self["priority"] = newValue } }
///     // .attribute("mood", .string)
///     var mood: Mood { get { self["mood"] } set { self["mood"] = newValue } }
/// }
/// ```
public protocol AttributeValue {
    /// The value that a property of this type reads as when the attribute has none.
    static var missing: Self { get }
    /// The value in this type, or nil where it is of another.
    init?(_ value: Value)
    /// The value for the attribute.
    var attributeValue: Value { get }
    /// Reads a cell without a detour, where the column's type allows it; nil where ``init(_:)`` is to be used instead.
    static func read(_ cell: StoredCell) -> Self?
    /// The content of the columns of a type that is a number in eight bytes; of no account for other types.
    static var numberKind: ResolvedProperty.CellKind { get }
    /// The value as the eight bytes of a cell of ``numberKind``; nil where it is no such number.
    var numberBits: UInt64? { get }
}

extension AttributeValue {
    /// Goes by ``init(_:)``.
    @inlinable
    public static func read(_ cell: StoredCell) -> Self? { nil }
    /// Bytes.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .bytes }
    /// Goes by ``attributeValue``.
    @inlinable
    public var numberBits: UInt64? { nil }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The case of a raw value.
    public init?(_ value: Value) {
        guard let raw = RawValue(value) else { return nil }
        self.init(rawValue: raw)
    }
    /// The raw value.
    public var attributeValue: Value { rawValue.attributeValue }
    /// Reads the raw value's cell.
    @inlinable
    public static func read(_ cell: StoredCell) -> Self? { RawValue.read(cell).flatMap { Self(rawValue: $0) } }
    /// That of the raw value.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { RawValue.numberKind }
    /// Those of the raw value.
    @inlinable
    public var numberBits: UInt64? { rawValue.numberBits }
}

extension AttributeValue where Self: RawRepresentable & CaseIterable, RawValue: AttributeValue {
    /// The first case.
    public static var missing: Self { allCases[allCases.startIndex] }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// Zero.
    public static var missing: Self { 0 }
    /// An integer in range.
    public init?(_ value: Value) {
        guard case .int(let number) = value else { return nil }
        self.init(exactly: number)
    }
    /// The integer; one beyond `Int64` fits no attribute, and is given as a decimal.
    public var attributeValue: Value {
        Int64(exactly: self).map(Value.int) ?? .decimal(Decimal(string: String(self)) ?? .nan)
    }
    /// Reads the cell of an integer attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Self? {
        cell.kind == .integer ? Self(exactly: Int64(bitPattern: cell.bits)) : nil
    }
    /// An integer.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .integer }
    /// The integer's, unless it is beyond `Int64`.
    @inlinable
    public var numberBits: UInt64? { Int64(exactly: self).map { UInt64(bitPattern: $0) } }
}

extension Int: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension Double: AttributeValue {
    /// Zero.
    public static var missing: Double { 0 }
    /// A double or float.
    public init?(_ value: Value) {
        guard case .double(let number) = value else { return nil }
        self = number
    }
    /// The number.
    public var attributeValue: Value { .double(self) }
    /// Reads the cell of a double or float attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Double? {
        cell.kind == .double ? Double(bitPattern: cell.bits) : nil
    }
    /// A double.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .double }
    /// The number's.
    @inlinable
    public var numberBits: UInt64? { bitPattern }
}

extension Float: AttributeValue {
    /// Zero.
    public static var missing: Float { 0 }
    /// A double or float.
    public init?(_ value: Value) {
        guard case .double(let number) = value else { return nil }
        self = Float(number)
    }
    /// The number.
    public var attributeValue: Value { .double(Double(self)) }
}

extension Bool: AttributeValue {
    /// False.
    public static var missing: Bool { false }
    /// A boolean.
    public init?(_ value: Value) {
        guard case .bool(let flag) = value else { return nil }
        self = flag
    }
    /// The boolean.
    public var attributeValue: Value { .bool(self) }
    /// Reads the cell of a boolean attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Bool? {
        cell.kind == .boolean ? cell.bits != 0 : nil
    }
    /// A boolean.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .boolean }
    /// One for true.
    @inlinable
    public var numberBits: UInt64? { self ? 1 : 0 }
}

extension String: AttributeValue {
    /// The empty string.
    public static var missing: String { "" }
    /// A string.
    public init?(_ value: Value) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
    /// The string.
    public var attributeValue: Value { .string(self) }
    /// Reads the cell of a string attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> String? {
        cell.kind == .text ? cell.text : nil
    }
}

extension Date: AttributeValue {
    /// 1970-01-01 00:00 UTC.
    public static var missing: Date { Date(timeIntervalSince1970: 0) }
    /// A date.
    public init?(_ value: Value) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
    /// The date.
    public var attributeValue: Value { .date(self) }
    /// Reads the cell of a date attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Date? {
        cell.kind == .date ? Date(milliseconds: Int64(bitPattern: cell.bits)) : nil
    }
    /// A date.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .date }
    /// The milliseconds since 1970, unless it is none.
    @inlinable
    public var numberBits: UInt64? {
        timeIntervalSince1970.isNaN ? nil : UInt64(bitPattern: milliseconds)
    }
}

extension Data: AttributeValue {
    /// No bytes.
    public static var missing: Data { Data() }
    /// Bytes.
    public init?(_ value: Value) {
        guard case .data(let data) = value else { return nil }
        self = data
    }
    /// The bytes.
    public var attributeValue: Value { .data(self) }
}

extension UUID: AttributeValue {
    /// The UUID of zeros.
    public static var missing: UUID { ObjectKey(high: 0, low: 0).uuid }
    /// A UUID.
    public init?(_ value: Value) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
    /// The UUID.
    public var attributeValue: Value { .uuid(self) }
}

extension URL: AttributeValue {
    /// `about:blank`.
    public static var missing: URL { URL(string: "about:blank") ?? URL(fileURLWithPath: "/") }
    /// A URI.
    public init?(_ value: Value) {
        guard case .uri(let uri) = value else { return nil }
        self = uri
    }
    /// The URI.
    public var attributeValue: Value { .uri(self) }
}

extension Decimal: AttributeValue {
    /// Zero.
    public static var missing: Decimal { 0 }
    /// A decimal.
    public init?(_ value: Value) {
        guard case .decimal(let number) = value else { return nil }
        self = number
    }
    /// The decimal.
    public var attributeValue: Value { .decimal(self) }
}
