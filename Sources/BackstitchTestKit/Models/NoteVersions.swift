import Backstitch

extension ManagedObjectModel {
    /// Notes in folders, with tags: the version that others come from. It is apart from the journal since a version's
    /// entities have other names than the classes of that.
    static let notes = ManagedObjectModel([
        EntityDescription(
            "Note",
            [
                .attribute("title", .string), .attribute("rank", .integer64),
                .toOne("folder", "Folder", inverse: "notes"), .toMany("tags", "Tag", inverse: "notes"),
            ]),
        EntityDescription("Folder", [.attribute("name", .string), .toMany("notes", "Note", inverse: "folder")]),
        EntityDescription("Tag", [.toMany("notes", "Note", inverse: "tags")]),
    ])

    /// The same under other names.
    static let memos = ManagedObjectModel([
        EntityDescription(
            "Memo",
            [
                .attribute("heading", .string).renamed(from: "title"), .attribute("stars", .integer64, default: 3),
                .toOne("binder", "Binder", inverse: "memos").renamed(from: "folder"),
                .toMany("labels", "Tag", inverse: "memos").renamed(from: "tags"),
            ]
        ).renamed(from: "Note"),
        EntityDescription("Binder", [.attribute("name", .string), .toMany("memos", "Memo", inverse: "binder")])
            .renamed(from: "Folder"),
        EntityDescription("Tag", [.toMany("memos", "Memo", inverse: "labels").renamed(from: "notes")]),
    ])
}
