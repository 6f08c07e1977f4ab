/// The name of a kind of store, `.sqlite` or `.sync` for instance; a store's module adds its own.
public struct StoreType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text of the name.
    public let rawValue: String
    /// Makes the type with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes the type with this name.
    public init(stringLiteral value: String) { rawValue = value }
    /// The text of the name.
    public var description: String { rawValue }
}
