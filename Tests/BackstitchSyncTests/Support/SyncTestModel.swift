import Backstitch

/// The model of the sync tests: every attribute type, an optional to-one, and a many-to-many relationship.
enum SyncTestModel {
    static let description = ManagedObjectModel(
        [
            EntityDescription(
                "Note",
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
                "Folder",
                [
                    .attribute("name", .string), .toMany("notes", "Note", inverse: "folder", delete: .cascade),
                    .toOne("parent", "Folder", inverse: "children"), .toMany("children", "Folder", inverse: "parent"),
                ]),
            EntityDescription("Tag", [.attribute("name", .string), .toMany("notes", "Note", inverse: "tags")]),
        ], codecs: [.json("style", [String].self)])

    static func resolved() throws -> ResolvedModel { try ResolvedModel(description) }
}

/// Keys that are easy to read in failures.
func key(_ number: UInt64) -> ObjectKey { ObjectKey(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

func noteID(_ number: UInt64) -> ObjectID { ObjectID(entityName: "Note", key: key(number)) }
