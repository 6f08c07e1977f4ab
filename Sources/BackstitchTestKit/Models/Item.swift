import Backstitch

/// The root of a family of entities; there are objects of its subentities only.
class Item: ManagedObject {
    /// Its name; unique over the whole family in ``ManagedObjectModel/uniqueFamily``.
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The folder that takes it along when it goes.
    var owner: Folder? {
        get { self["owner"] }
        set { self["owner"] = newValue }
    }
    /// Items of any kind; many to many within the family.
    var related: Set<Item> {
        get { self["related"] }
        set { self["related"] = newValue }
    }
}
