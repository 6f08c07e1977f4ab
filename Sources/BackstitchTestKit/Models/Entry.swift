public import Backstitch
public import Foundation

/// An entry of a journal: the sample graph's centre.
public final class Entry: ManagedObject {
    /// The text of the entry.
    public var text: String {
        get { self["text"] }
        set { self["text"] = newValue }
    }
    /// A count that tests raise.
    public var count: Int {
        get { self["count"] }
        set { self["count"] = newValue }
    }
    /// When it was made.
    public var created: Date? {
        get { self["created"] }
        set { self["created"] = newValue }
    }
    /// A picture, kept outside the row.
    public var photo: Data? {
        get { self["photo"] }
        set { self["photo"] = newValue }
    }
    /// Where it was made.
    public var location: Location? {
        get { self["location"] }
        set { self["location"] = newValue }
    }
    /// Its tags.
    public var tags: Set<Tag> {
        get { self["tags"] }
        set { self["tags"] = newValue }
    }
    /// Entries that follow from it.
    public var replies: Set<Entry> {
        get { self["replies"] }
        set { self["replies"] = newValue }
    }
    /// The entry that it follows from.
    public var parent: Entry? {
        get { self["parent"] }
        set { self["parent"] = newValue }
    }
    /// Its cover; one to one.
    public var cover: Cover? {
        get { self["cover"] }
        set { self["cover"] = newValue }
    }
}
