import Backstitch

/// Relationships to the root, to its children, and to each of two siblings.
final class Folder: ManagedObject {
    /// Items of every kind.
    var items: Set<Item> {
        get { self["items"] }
        set { self["items"] = newValue }
    }
    /// Duties, chores among them, and no other items.
    var reviews: Set<Duty> {
        get { self["reviews"] }
        set { self["reviews"] = newValue }
    }
}
