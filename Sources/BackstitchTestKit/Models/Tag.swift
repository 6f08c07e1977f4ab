public import Backstitch

/// A tag; many to many with entries.
public final class Tag: ManagedObject {
    /// Its name.
    public var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The entries that have it.
    public var entries: Set<Entry> {
        get { self["entries"] }
        set { self["entries"] = newValue }
    }
}
