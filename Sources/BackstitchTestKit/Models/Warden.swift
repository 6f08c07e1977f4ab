public import Backstitch

/// Somebody who looks after a place; needs a name.
public final class Warden: ManagedObject {
    /// The name, which must be there.
    public var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The place.
    public var location: Location? {
        get { self["location"] }
        set { self["location"] = newValue }
    }
}
