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

/// A place; cannot be deleted while it has wardens.
public final class Location: ManagedObject {
    /// Its name.
    public var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The entries made here.
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

/// A tag; many to many with entries.
public final class Tag: ManagedObject {
    /// Its name.
    public var name: String {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    /// The entries that have it.
    public var entries: Set<Entry> {
        get { self["entries"] }
        set { self["entries"] = newValue }
    }
}

/// The cover of one entry.
public final class Cover: ManagedObject {
    /// Its title.
    public var title: String {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    /// The entry.
    public var entry: Entry? {
        get { self["entry"] }
        set { self["entry"] = newValue }
    }
}

/// A point, for the transformable attribute.
public struct Point: Codable, Hashable, Sendable {
    /// Across.
    public var x: Double
    /// Up.
    public var y: Double
    /// A point.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

extension ManagedObjectModel {
    /// The sample model of the conformance kit: every attribute type, every kind of relationship, every delete rule.
    ///
    /// It asks of a store what every store must have. Cases about more take it with what they are about: diaries, a
    /// family of entities, unique or derived attributes, indexes, rules.
    public static let journal = ManagedObjectModel(
        [
            EntityDescription(
                "Entry", class: Entry.self,
                [
                    .attribute("text", .string, default: ""),
                    .attribute("count", .integer64, default: 0),
                    .attribute("created", .date),
                    .attribute("photo", .binary, external: true),
                    .toOne("location", "Location", inverse: "entries"),
                    .toMany("tags", "Tag", inverse: "entries"),
                    .toMany("replies", "Entry", inverse: "parent", delete: .cascade),
                    .toOne("parent", "Entry", inverse: "replies"),
                    .toOne("cover", "Cover", inverse: "entry", delete: .cascade),
                ]
            ).parent("location"),
            EntityDescription(
                "Location", class: Location.self,
                [
                    .attribute("name", .string),
                    .toMany("entries", "Entry", inverse: "location"),
                    .toMany("wardens", "Warden", inverse: "location", delete: .deny),
                ]),
            EntityDescription(
                "Warden", class: Warden.self,
                [
                    .attribute("name", .string, optional: false, default: ""),
                    .toOne("location", "Location", inverse: "wardens", delete: .noAction),
                ]),
            EntityDescription(
                "Tag", class: Tag.self,
                [.attribute("name", .string, default: ""), .toMany("entries", "Entry", inverse: "tags")]),
            EntityDescription(
                "Cover", class: Cover.self,
                [.attribute("title", .string, default: ""), .toOne("entry", "Entry", inverse: "cover")]),
            EntityDescription("AllTypes", everyType),
        ],
        codecs: [.json("point", Point.self)])

    /// An attribute of each type; binaries in the row and outside it.
    private static let everyType: [PropertyDescription] = [
        .attribute("integer16", .integer16), .attribute("integer32", .integer32), .attribute("integer64", .integer64),
        .attribute("decimal", .decimal), .attribute("double", .double), .attribute("float", .float),
        .attribute("string", .string), .attribute("boolean", .boolean), .attribute("date", .date),
        .attribute("binary", .binary), .attribute("external", .binary, external: true), .attribute("uuid", .uuid),
        .attribute("uri", .uri), .attribute("point", .transformable(codec: "point")),
    ]
}
