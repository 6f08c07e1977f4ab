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
