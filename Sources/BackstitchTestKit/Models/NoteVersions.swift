import Backstitch

extension ManagedObjectModel {
    /// Notes in folders, with tags: the base of other versions. It is apart from the journal, since other versions
    /// rename its entities, and the journal's classes have fixed names.
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

    /// The same model under other names.
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
