public import Foundation

/// A Swift type that an attribute can be read as and set from.
///
/// An enumeration with a raw value of such a type conforms by declaring it. If it lists its cases, it needs no further
/// code: its first case is read when the attribute has no value. Any other enumeration defines ``missing``.
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
    /// The value of a property of this type when the attribute has none.
    static var missing: Self { get }
    /// Creates a value of this type; nil if the attribute's value is of another type.
    init?(_ value: Value)
    /// The value in the form that the attribute takes.
    var attributeValue: Value { get }
    /// Reads a cell directly, if the column's type allows it; nil if ``init(_:)`` is to be used instead.
    static func read(_ cell: StoredCell) -> Self?
    /// The content of the columns of a type that is a number in eight bytes. It has no meaning for other types.
    static var numberKind: ResolvedProperty.CellKind { get }
    /// The value as the eight bytes of a cell of ``numberKind``; nil if it is no such number.
    var numberBits: UInt64? { get }
}

extension AttributeValue {
    /// Returns nil, so that ``init(_:)`` is used.
    @inlinable
    public static func read(_ cell: StoredCell) -> Self? { nil }
    /// Bytes, because the type is no number.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .bytes }
    /// Nil, so that ``attributeValue`` is used.
    @inlinable
    public var numberBits: UInt64? { nil }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// Creates the case with this raw value; nil if there is none.
    public init?(_ value: Value) {
        guard let raw = RawValue(value) else { return nil }
        self.init(rawValue: raw)
    }
    /// The raw value in the form that the attribute takes.
    public var attributeValue: Value { rawValue.attributeValue }
    /// Reads the cell as a raw value, and returns its case.
    @inlinable
    public static func read(_ cell: StoredCell) -> Self? { RawValue.read(cell).flatMap { Self(rawValue: $0) } }
    /// The kind of the raw value's cells.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { RawValue.numberKind }
    /// The eight bytes of the raw value.
    @inlinable
    public var numberBits: UInt64? { rawValue.numberBits }
}

extension AttributeValue where Self: RawRepresentable & CaseIterable, RawValue: AttributeValue {
    /// The first case of the enumeration.
    public static var missing: Self { allCases[allCases.startIndex] }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// Zero, for an attribute without a value.
    public static var missing: Self { 0 }
    /// Takes an integer that is in the range of the type.
    public init?(_ value: Value) {
        guard case .int(let number) = value else { return nil }
        self.init(exactly: number)
    }
    /// The integer. A number beyond `Int64` fits no attribute, and becomes a decimal.
    public var attributeValue: Value {
        Int64(exactly: self).map(Value.int) ?? .decimal(Decimal(string: String(self)) ?? .nan)
    }
    /// Reads the cell of an integer attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Self? {
        cell.kind == .integer ? Self(exactly: Int64(bitPattern: cell.bits)) : nil
    }
    /// The kind of cells that hold integers.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .integer }
    /// The eight bytes of the integer; nil beyond the range of `Int64`.
    @inlinable
    public var numberBits: UInt64? { Int64(exactly: self).map { UInt64(bitPattern: $0) } }
}

extension Int: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension Double: AttributeValue {
    /// Zero, for an attribute without a value.
    public static var missing: Double { 0 }
    /// Takes the value of a double or float attribute.
    public init?(_ value: Value) {
        guard case .double(let number) = value else { return nil }
        self = number
    }
    /// The number in the form that the attribute takes.
    public var attributeValue: Value { .double(self) }
    /// Reads the cell of a double or float attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Double? {
        cell.kind == .double ? Double(bitPattern: cell.bits) : nil
    }
    /// The kind of cells that hold doubles.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .double }
    /// The eight bytes of the number.
    @inlinable
    public var numberBits: UInt64? { bitPattern }
}

extension Float: AttributeValue {
    /// Zero, for an attribute without a value.
    public static var missing: Float { 0 }
    /// Takes the value of a double or float attribute.
    public init?(_ value: Value) {
        guard case .double(let number) = value else { return nil }
        self = Float(number)
    }
    /// The number as a double, the form that the attribute takes.
    public var attributeValue: Value { .double(Double(self)) }
}

extension Bool: AttributeValue {
    /// False, for an attribute without a value.
    public static var missing: Bool { false }
    /// Takes the value of a boolean attribute.
    public init?(_ value: Value) {
        guard case .bool(let flag) = value else { return nil }
        self = flag
    }
    /// The boolean in the form that the attribute takes.
    public var attributeValue: Value { .bool(self) }
    /// Reads the cell of a boolean attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Bool? {
        cell.kind == .boolean ? cell.bits != 0 : nil
    }
    /// The kind of cells that hold booleans.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .boolean }
    /// One for true, zero for false.
    @inlinable
    public var numberBits: UInt64? { self ? 1 : 0 }
}

extension String: AttributeValue {
    /// The empty string, for an attribute without a value.
    public static var missing: String { "" }
    /// Takes the value of a string attribute.
    public init?(_ value: Value) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
    /// The string in the form that the attribute takes.
    public var attributeValue: Value { .string(self) }
    /// Reads the cell of a string attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> String? {
        cell.kind == .text ? cell.text : nil
    }
}

extension Date: AttributeValue {
    /// 1970-01-01 00:00 UTC, for an attribute without a value.
    public static var missing: Date { Date(timeIntervalSince1970: 0) }
    /// Takes the value of a date attribute.
    public init?(_ value: Value) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
    /// The date in the form that the attribute takes.
    public var attributeValue: Value { .date(self) }
    /// Reads the cell of a date attribute.
    @inlinable
    public static func read(_ cell: StoredCell) -> Date? {
        cell.kind == .date ? Date(milliseconds: Int64(bitPattern: cell.bits)) : nil
    }
    /// The kind of cells that hold dates.
    @inlinable
    public static var numberKind: ResolvedProperty.CellKind { .date }
    /// The milliseconds since 1970; nil for a date without a valid time.
    @inlinable
    public var numberBits: UInt64? {
        timeIntervalSince1970.isNaN ? nil : UInt64(bitPattern: milliseconds)
    }
}

extension Data: AttributeValue {
    /// No bytes, for an attribute without a value.
    public static var missing: Data { Data() }
    /// Takes the bytes of a binary attribute.
    public init?(_ value: Value) {
        guard case .data(let data) = value else { return nil }
        self = data
    }
    /// The bytes in the form that the attribute takes.
    public var attributeValue: Value { .data(self) }
}

extension UUID: AttributeValue {
    /// The UUID of zeros, for an attribute without a value.
    public static var missing: UUID { ObjectKey(high: 0, low: 0).uuid }
    /// Takes the value of a UUID attribute.
    public init?(_ value: Value) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
    /// The UUID in the form that the attribute takes.
    public var attributeValue: Value { .uuid(self) }
}

extension URL: AttributeValue {
    /// `about:blank`, for an attribute without a value.
    public static var missing: URL { URL(string: "about:blank") ?? URL(fileURLWithPath: "/") }
    /// Takes the value of a URI attribute.
    public init?(_ value: Value) {
        guard case .uri(let uri) = value else { return nil }
        self = uri
    }
    /// The URI in the form that the attribute takes.
    public var attributeValue: Value { .uri(self) }
}

extension Decimal: AttributeValue {
    /// Zero, for an attribute without a value.
    public static var missing: Decimal { 0 }
    /// Takes the value of a decimal attribute.
    public init?(_ value: Value) {
        guard case .decimal(let number) = value else { return nil }
        self = number
    }
    /// The decimal in the form that the attribute takes.
    public var attributeValue: Value { .decimal(self) }
}
