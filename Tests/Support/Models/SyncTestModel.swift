package import Backstitch
package import Foundation

/// The model of the sync tests: every attribute type, an optional to-one, and a many-to-many relationship.
package enum SyncTestModel {
    package static let description = ManagedObjectModel(
        [
            EntityDescription(
                "Note", class: TestNote.self,
                [
                    .attribute("title", .string, default: ""), .attribute("body", .string),
                    .attribute("rank", .integer64), .attribute("small", .integer16), .attribute("medium", .integer32),
                    .attribute("done", .boolean), .attribute("price", .decimal), .attribute("ratio", .double),
                    .attribute("share", .float), .attribute("created", .date), .attribute("token", .uuid),
                    .attribute("link", .uri), .attribute("blob", .binary),
                    .attribute("style", .transformable(transformer: "style")),
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
        ], transformers: [.json("style", [String].self)])

    package static func resolved() throws -> ResolvedModel { try ResolvedModel(description) }
}

/// Keys that are easy to read in failures.
package func key(_ number: UInt64) -> ObjectKey {
    ObjectKey(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
}

package func noteID(_ number: UInt64) -> ObjectID { ObjectID(entityName: "Note", key: key(number)) }

package final class TestNote: ManagedObject {
    package var title: String? {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    package var body: String? {
        get { self["body"] }
        set { self["body"] = newValue }
    }
    package var rank: Int {
        get { self["rank"] }
        set { self["rank"] = newValue }
    }
    package var photo: Data? {
        get { self["photo"] }
        set { self["photo"] = newValue }
    }
    package var cover: Data? {
        get { self["cover"] }
        set { self["cover"] = newValue }
    }
    package var folder: TestFolder? {
        get { self["folder"] }
        set { self["folder"] = newValue }
    }
    package var tags: Set<TestTag> {
        get { self["tags"] }
        set { self["tags"] = newValue }
    }
}

package final class TestFolder: ManagedObject {
    package var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    package var notes: Set<TestNote> {
        get { self["notes"] }
        set { self["notes"] = newValue }
    }
}

package final class TestTag: ManagedObject {
    package var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
}
