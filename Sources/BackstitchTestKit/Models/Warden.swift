public import Backstitch

/// A person who looks after a place. The name is required.
public final class Warden: ManagedObject {
    /// The name, which is required.
    public var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The place that the warden looks after.
    public var location: Location? {
        get { self["location"] }
        set { self["location"] = newValue }
    }
}
