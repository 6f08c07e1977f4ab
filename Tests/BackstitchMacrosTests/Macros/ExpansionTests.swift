import Testing

@Suite("what the macros expand to")
struct ExpansionTests {
    @Test("an entity with attributes and relationships")
    func entity() {
        expectExpansion(
            #"""
            @Entity("Memo")
            public final class Note: ManagedObject {
                @Attribute var title: String = "new"
                @Attribute var created: Date?
                @Attribute(.externalStorage, .encrypted) var photo: Data?
                @Attribute var film: Asset?
                @Attribute(.type(.integer16)) var priority: Priority = .low
                @Attribute(.transformer("point")) var place: Point?
                @Relationship(inverse: "notes", optional: false) var folder: Folder?
                @Relationship(inverse: \Tag.notes, delete: .cascade) var tags: Set<Tag>
                @Transient var isShown = false
            }
            """#,
            #"""
            public final class Note: ManagedObject {
                var title: String {
                    get {
                        self["title"]
                    }
                    set {
                        self["title"] = newValue
                    }
                }
                var created: Date? {
                    get {
                        self["created"]
                    }
                    set {
                        self["created"] = newValue
                    }
                }
                var photo: Data? {
                    get {
                        self["photo"]
                    }
                    set {
                        self["photo"] = newValue
                    }
                }
                var film: Asset? {
                    get {
                        self["film"]
                    }
                    set {
                        self["film"] = newValue
                    }
                }
                var priority: Priority {
                    get {
                        self["priority"]
                    }
                    set {
                        self["priority"] = newValue
                    }
                }
                var place: Point? {
                    get {
                        self[transformed: "place"]
                    }
                    set {
                        self[transformed: "place"] = newValue
                    }
                }
                var folder: Folder? {
                    get {
                        self["folder"]
                    }
                    set {
                        self["folder"] = newValue
                    }
                }
                var tags: Set<Tag> {
                    get {
                        self["tags"]
                    }
                    set {
                        self["tags"] = newValue
                    }
                }
                var isShown = false

                /// The name of the entity in the model.
                public nonisolated static let entityName: Swift.String = "Memo"

                /// The entity, for a model.
                public nonisolated static let entityDescription = Backstitch.EntityDescription(
                    entityName, class: Note.self,
                    [
                        .attribute("title", .string, optional: false, default: Backstitch.Value(initial: "new" as String?)),
                        .attribute("created", .date),
                        .attribute("photo", .binary, external: true).encrypted(),
                        .attribute("film", .binary, external: true),
                        .attribute("priority", .integer16, optional: false, default: Backstitch.Value(initial: .low as Priority?)),
                        .attribute("place", .transformable(transformer: "point")),
                        .toOne("folder", Folder.entityName, inverse: "notes", optional: false),
                        .toMany("tags", Tag.entityName, inverse: "notes", delete: .cascade),
                    ])

                /// The key paths of the properties, for `#Predicate`.
                public nonisolated static let keyPathNames = BackstitchMacros.KeyPathNames(
                    [
                        (\Note.title, "title"),
                        (\Note.created, "created"),
                        (\Note.photo, "photo"),
                        (\Note.film, "film"),
                        (\Note.priority, "priority"),
                        (\Note.place, "place"),
                        (\Note.folder, "folder"),
                        (\Note.tags, "tags"),
                    ])
            }

            extension Note: nonisolated BackstitchMacros.EntityObject {
            }
            """#)
    }

    @Test("an entity without properties, and names that are keywords")
    func edges() {
        expectExpansion(
            "@Entity class Empty: ManagedObject {\n}",
            """
            class Empty: ManagedObject {

                /// The name of the entity in the model.
                nonisolated static let entityName: Swift.String = "Empty"

                /// The entity, for a model.
                nonisolated static let entityDescription = Backstitch.EntityDescription(
                    entityName, class: Empty.self,
                    [])

                /// The key paths of the properties, for `#Predicate`.
                nonisolated static let keyPathNames = BackstitchMacros.KeyPathNames(
                    [])
            }

            extension Empty: nonisolated BackstitchMacros.EntityObject {
            }
            """)
        expectExpansion(
            "@Entity package class Odd: ManagedObject {\n    @Attribute var `default`: Swift.Int? = nil\n}",
            #"""
            package class Odd: ManagedObject {
                var `default`: Swift.Int? {
                    get {
                        self["default"]
                    }
                    set {
                        self["default"] = newValue
                    }
                }

                /// The name of the entity in the model.
                package nonisolated static let entityName: Swift.String = "Odd"

                /// The entity, for a model.
                package nonisolated static let entityDescription = Backstitch.EntityDescription(
                    entityName, class: Odd.self,
                    [
                        .attribute("default", .integer64),
                    ])

                /// The key paths of the properties, for `#Predicate`.
                package nonisolated static let keyPathNames = BackstitchMacros.KeyPathNames(
                    [
                        (\Odd.`default`, "default"),
                    ])
            }

            extension Odd: nonisolated BackstitchMacros.EntityObject {
            }
            """#)
    }
}
