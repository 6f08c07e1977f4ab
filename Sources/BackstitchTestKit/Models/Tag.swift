public import Backstitch

/// A tag; many to many with entries.
public final class Tag: ManagedObject {
    /// The name of the tag.
    public var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The entries with this tag.
    public var entries: Set<Entry> {
        get { self["entries"] }
        set { self["entries"] = newValue }
    }
}
