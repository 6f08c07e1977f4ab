import Backstitch

/// An item to be read: ``Duty``'s sibling.
final class Memo: Item {
    /// Required, with a default: a row of another kind is saved without it.
    var tone: String? {
        get { self["tone"] }
        set { self["tone"] = newValue }
    }
    /// Many to many between a child and an entity outside the family.
    var tags: Set<Tag> {
        get { self["tags"] }
        set { self["tags"] = newValue }
    }
}
