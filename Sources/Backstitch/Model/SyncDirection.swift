/// Which ways an attribute's values go between a synced store and its server.
public enum SyncDirection: String, Sendable, Hashable, CaseIterable {
    /// Both ways, as everything does unless said otherwise.
    case both
    /// Only to the server: what others write there is not taken.
    case upload
    /// Only from the server: what is written here stays here, until the server's value replaces it.
    case download
    /// Neither way: each device has a value of its own, a place in a list for instance.
    case none

    /// Whether values here go to the server.
    package var uploads: Bool { self == .both || self == .upload }
    /// Whether values of the server come here.
    package var downloads: Bool { self == .both || self == .download }
}
