/// The directions of an attribute's sync between a synced store and its server.
public enum SyncDirection: String, Sendable, Hashable, CaseIterable {
    /// Both ways: the default.
    case both
    /// Only to the server: values written there by others are ignored.
    case upload
    /// Only from the server: a local value stays local, until the server's value replaces it.
    case download
    /// Neither way: each device has its own value, for instance a place in a list.
    case none

    /// Whether local values are sent to the server.
    package var uploads: Bool { self == .both || self == .upload }
    /// Whether the server's values are taken.
    package var downloads: Bool { self == .both || self == .download }
}
