public import Foundation

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
