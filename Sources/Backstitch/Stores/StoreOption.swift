/// The key of a store's option.
///
/// ```swift
/// options: [.syncServerURL: "https://example.org", .syncOnSave: true]
/// ```
/// A store type adds its own keys in an extension, and describes their values in its option specifications.
public struct StoreOption: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The key's text in JSON and in the environment.
    public let rawValue: String
    /// Makes the key with this text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes the key with this text.
    public init(stringLiteral value: String) { rawValue = value }
    /// The text of the key.
    public var description: String { rawValue }
}
