/// The key of a store's option.
///
/// ```swift
/// options: [.syncServerURL: "https://example.org", .syncOnSave: true]
/// ```
/// A store type adds its own keys in an extension, and says what they take in its option specifications.
public struct StoreOption: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The key's text, as JSON and the environment spell it.
    public let rawValue: String
    /// The key with that text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The key with that text.
    public init(stringLiteral value: String) { rawValue = value }
    /// The key's text.
    public var description: String { rawValue }
}
