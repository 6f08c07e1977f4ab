public import Backstitch

/// The cover of one entry.
public final class Cover: ManagedObject {
    /// The title of the cover.
    public var title: String {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    /// The entry that has this cover.
    public var entry: Entry? {
        get { self["entry"] }
        set { self["entry"] = newValue }
    }
}
