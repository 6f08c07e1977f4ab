import Backstitch

/// The models of a world's devices. Each workload has entities of its own.
enum SimulationModel {
    /// The model of a version. The second has more entities and attributes, the third has secrets, and the fourth has
    /// only public data.
    static func version(_ number: Int) -> ManagedObjectModel { [first, second, third, fourth][number - 1] }

    private static let first = ManagedObjectModel(entities(isNew: false))
    private static let second = ManagedObjectModel(entities(isNew: true))
    private static let third = ManagedObjectModel(
        entities(isNew: false) + [
            EntityDescription(
                secret, class: SimulatedSecret.self,
                [
                    .attribute("text", .string).encrypted(), .attribute("number", .integer64).encrypted(),
                    .attribute("label", .string),
                ])
        ])

    private static let fourth = ManagedObjectModel([
        EntityDescription(
            notice, class: SimulatedNotice.self,
            [
                .attribute("text", .string), .attribute("author", .string), .attribute("topic", .string),
                .attribute("rank", .integer64),
            ])
    ])

    /// The model version of devices with a store of the public database, and its entity.
    static let publicVersion = 4
    static let notice = "Notice"
    /// The entity with encrypted attributes, and their names.
    static let secret = "Secret"
    static let encrypted = ["text", "number"]

    /// Entities whose objects have parents.
    private static let hierarchies = [
        EntityDescription(
            "Room", class: SimulatedRoom.self,
            [.attribute("name", .string), .toMany("chairs", "Chair", inverse: "room", delete: .cascade)]),
        EntityDescription(
            "Chair", class: SimulatedChair.self,
            [.attribute("text", .string), .toOne("room", "Room", inverse: "chairs")]
        ).parent("room"),
        EntityDescription(
            "Shelf", class: SimulatedShelf.self,
            [
                .attribute("name", .string), .toOne("parent", "Shelf", inverse: "shelves"),
                .toMany("shelves", "Shelf", inverse: "parent", delete: .cascade),
                .toMany("books", "Book", inverse: "shelf", delete: .cascade),
            ]
        ).parent("parent"),
        EntityDescription(
            "Book", class: SimulatedBook.self,
            [
                .attribute("text", .string), .toOne("shelf", "Shelf", inverse: "books"),
                .toOne("author", "Author", inverse: "books"),
            ]
        ).parent("shelf"),
        EntityDescription(
            "Author", class: SimulatedAuthor.self, [.toMany("books", "Book", inverse: "author")]),
    ]

    private static func entities(isNew: Bool) -> [EntityDescription] {
        var note: [PropertyDescription] = [
            .attribute("title", .string), .attribute("body", .string), .attribute("photo", .binary, external: true),
            .toOne("folder", "Folder", inverse: "notes"), .toMany("tags", "Tag", inverse: "notes"),
        ]
        if isNew { note.append(.attribute("extra", .string)) }
        var entities =
            [
                EntityDescription("Note", class: SimulatedNote.self, note),
                EntityDescription(
                    "Folder", class: SimulatedFolder.self,
                    [
                        .attribute("name", .string), .toMany("notes", "Note", inverse: "folder", delete: .cascade),
                        .toOne("parent", "Folder", inverse: "children"),
                        .toMany("children", "Folder", inverse: "parent", delete: .cascade),
                    ]),
                EntityDescription(
                    "Tag", class: SimulatedTag.self,
                    [.attribute("name", .string), .toMany("notes", "Note", inverse: "tags")]),
                EntityDescription(
                    "Register", class: SimulatedRegister.self,
                    [.attribute("name", .string), .attribute("value", .integer64)]),
                EntityDescription(
                    "Posting", class: SimulatedPosting.self,
                    [
                        .attribute("transfer", .string), .attribute("account", .integer64),
                        .attribute("amount", .integer64),
                    ]),
                EntityDescription(
                    "Item", class: SimulatedItem.self,
                    [.attribute("text", .string), .toOne("list", "List", inverse: "items")]),
                EntityDescription(
                    "List", class: SimulatedList.self,
                    [.attribute("name", .string), .toMany("items", "Item", inverse: "list")]),
            ] + hierarchies
        if isNew {
            entities.append(EntityDescription("Sticker", class: SimulatedSticker.self, [.attribute("name", .string)]))
        }
        return entities
    }
}
