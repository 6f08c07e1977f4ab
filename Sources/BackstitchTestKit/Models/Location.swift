public import Backstitch

/// A place. It cannot be deleted while it has wardens.
public final class Location: ManagedObject {
    /// The name of the place.
    public var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The entries made at this place.
    public var entries: Set<Entry> {
        get { self["entries"] }
        set { self["entries"] = newValue }
    }
    /// The wardens who look after it.
    public var wardens: Set<Warden> {
        get { self["wardens"] }
        set { self["wardens"] = newValue }
    }
}
