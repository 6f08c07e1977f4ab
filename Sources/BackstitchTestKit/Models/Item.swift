import Backstitch

/// The root of a family of entities. Only its subentities have objects.
class Item: ManagedObject {
    /// The name. It is unique over the whole family in ``ManagedObjectModel/uniqueFamily``.
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The folder whose deletion also deletes the item.
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
