import Backstitch
import Foundation

/// The model of the sync tests: every attribute type, an optional to-one, and a many-to-many relationship.
enum SyncTestModel {
    static let description = ManagedObjectModel(
        [
            EntityDescription(
                "Note", class: TestNote.self,
                [
                    .attribute("title", .string, default: ""), .attribute("body", .string),
                    .attribute("rank", .integer64), .attribute("small", .integer16), .attribute("medium", .integer32),
                    .attribute("done", .boolean), .attribute("price", .decimal), .attribute("ratio", .double),
                    .attribute("share", .float), .attribute("created", .date), .attribute("token", .uuid),
                    .attribute("link", .uri), .attribute("blob", .binary),
                    .attribute("style", .transformable(codec: "style")),
                    .attribute("photo", .binary, external: true), .attribute("cover", .binary, external: true),
                    .toOne("folder", "Folder", inverse: "notes"), .toMany("tags", "Tag", inverse: "notes"),
                ]),
            EntityDescription(
                "Folder", class: TestFolder.self,
                [
                    .attribute("name", .string), .toMany("notes", "Note", inverse: "folder", delete: .cascade),
                    .toOne("parent", "Folder", inverse: "children"), .toMany("children", "Folder", inverse: "parent"),
                ]),
            EntityDescription(
                "Tag", class: TestTag.self, [.attribute("name", .string), .toMany("notes", "Note", inverse: "tags")]),
        ], codecs: [.json("style", [String].self)])

    static func resolved() throws -> ResolvedModel { try ResolvedModel(description) }
}

/// Keys that are easy to read in failures.
func key(_ number: UInt64) -> ObjectKey { ObjectKey(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

func noteID(_ number: UInt64) -> ObjectID { ObjectID(entityName: "Note", key: key(number)) }

final class TestNote: ManagedObject {
    var title: String? {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    var body: String? {
        get { self["body"] }
        set { self["body"] = newValue }
    }
    var rank: Int {
        get { self["rank"] }
        set { self["rank"] = newValue }
    }
    var photo: Data? {
        get { self["photo"] }
        set { self["photo"] = newValue }
    }
    var cover: Data? {
        get { self["cover"] }
        set { self["cover"] = newValue }
    }
    var folder: TestFolder? {
        get { self["folder"] }
        set { self["folder"] = newValue }
    }
    var tags: Set<TestTag> {
        get { self["tags"] }
        set { self["tags"] = newValue }
    }
}

final class TestFolder: ManagedObject {
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var notes: Set<TestNote> {
        get { self["notes"] }
        set { self["notes"] = newValue }
    }
}

final class TestTag: ManagedObject {
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
}
