public import Backstitch

/// The cover of one entry.
public final class Cover: ManagedObject {
    /// Its title.
    public var title: String {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    /// The entry.
    public var entry: Entry? {
        get { self["entry"] }
        set { self["entry"] = newValue }
    }
}
