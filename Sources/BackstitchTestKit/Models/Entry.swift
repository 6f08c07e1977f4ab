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
    /// The date of the entry's creation.
    public var created: Date? {
        get { self["created"] }
        set { self["created"] = newValue }
    }
    /// A picture, kept outside the row.
    public var photo: Data? {
        get { self["photo"] }
        set { self["photo"] = newValue }
    }
    /// The place of the entry's creation.
    public var location: Location? {
        get { self["location"] }
        set { self["location"] = newValue }
    }
    /// The tags of the entry.
    public var tags: Set<Tag> {
        get { self["tags"] }
        set { self["tags"] = newValue }
    }
    /// Entries that answer this one.
    public var replies: Set<Entry> {
        get { self["replies"] }
        set { self["replies"] = newValue }
    }
    /// The entry that this one answers.
    public var parent: Entry? {
        get { self["parent"] }
        set { self["parent"] = newValue }
    }
    /// The cover; a one-to-one relationship.
    public var cover: Cover? {
        get { self["cover"] }
        set { self["cover"] = newValue }
    }
}
