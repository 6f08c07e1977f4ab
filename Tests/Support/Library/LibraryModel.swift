package import Backstitch

extension ManagedObjectModel {
    /// Every attribute type, and every kind of relationship: to-one, to-many, many-to-many, one-to-one from both sides,
    /// to itself.
    package static let library = ManagedObjectModel(
        [
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("body", .string), .attribute("copies", .integer16),
                    .attribute("size", .integer64), .attribute("score", .double), .attribute("ratio", .float),
                    .attribute("price", .decimal), .attribute("done", .boolean), .attribute("created", .date),
                    .attribute("raw", .binary), .attribute("photo", .binary, external: true),
                    .attribute("serial", .uuid), .attribute("link", .uri),
                    .attribute("shape", .transformable(transformer: "shape")),
                    .toOne("folder", "Folder", inverse: "notes"),
                    .toOne("parent", "Note", inverse: "children"), .toMany("children", "Note", inverse: "parent"),
                    .toMany("tags", "Tag", inverse: "notes"), .toOne("cover", "Cover", inverse: "note"),
                    .toMany("friends", "Note", inverse: "friendsOf"), .toMany("friendsOf", "Note", inverse: "friends"),
                ]),
            EntityDescription(
                "Folder",
                [
                    .attribute("name", .string), .attribute("rank", .integer32), .attribute("budget", .decimal),
                    .toMany("notes", "Note", inverse: "folder"), .toOne("home", "Folder", inverse: "rooms"),
                    .toMany("rooms", "Folder", inverse: "home"),
                ]),
            EntityDescription(
                "Tag",
                [
                    .attribute("name", .string), .attribute("weight", .double),
                    .toMany("notes", "Note", inverse: "tags"),
                ]),
            EntityDescription(
                "Cover",
                [
                    .attribute("label", .string), .attribute("width", .integer32),
                    .toOne("note", "Note", inverse: "cover"),
                ]),
        ], transformers: [.json("shape", [Int].self)])
}
