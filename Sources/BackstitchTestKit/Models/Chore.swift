import Backstitch

/// A grandchild of the root entity.
final class Chore: Duty {
    /// An attribute that only the grandchild has.
    var weeks: Int {
        get { self["weeks"] }
        set { self["weeks"] = newValue }
    }
}
