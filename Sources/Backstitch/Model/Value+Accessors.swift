public import Foundation

/// The value in a Swift type: nil where it is null or of another case, as in ``Value/as(_:)``. An integer is no double,
/// and a text is no date: nothing is converted.
extension Value {
    /// The value in a Swift type; nil where it is null or of another type.
    ///
    /// ```swift
    /// row["rating"].as(Priority.self)
    /// ```
    public func `as`<Result: AttributeValue>(_ type: Result.Type = Result.self) -> Result? { Result(self) }

    /// The truth value of ``bool(_:)``.
    public var bool: Bool? { `as`() }
    /// The integer of ``int(_:)``.
    public var int: Int? { `as`() }
    /// The number of ``double(_:)``.
    public var double: Double? { `as`() }
    /// The number of ``decimal(_:)``.
    public var decimal: Decimal? { `as`() }
    /// The text of ``string(_:)``.
    public var string: String? { `as`() }
    /// The date of ``date(_:)``.
    public var date: Date? { `as`() }
    /// The bytes of ``data(_:)``.
    public var data: Data? { `as`() }
    /// The UUID of ``uuid(_:)``.
    public var uuid: UUID? { `as`() }
    /// The URI of ``uri(_:)``.
    public var uri: URL? { `as`() }
    /// The asset of ``asset(_:)``.
    public var asset: AssetReference? {
        if case .asset(let value) = self { value } else { nil }
    }
    /// The identity of ``object(_:)``.
    public var object: ObjectID? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension Value: ExpressibleByStringInterpolation {}

extension Value: CustomStringConvertible {
    /// The value as Swift prints it: `Buy thread`, `3`, `2026-01-01 00:00:00 +0000`; `null` for none. Bytes and assets
    /// print as their size, an object as its identity.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date(let value): "\(value)"
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
