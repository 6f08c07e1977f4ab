/// The name of a kind of store, `.sqlite` or `.sync` for instance; a store's module adds its own.
public struct StoreType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let rawValue: String
    /// The type of that name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The type of that name.
    public init(stringLiteral value: String) { rawValue = value }
    /// The name.
    public var description: String { rawValue }
}
