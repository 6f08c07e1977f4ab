import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("what the macros complain about, and how it is fixed")
struct DiagnosticTests {
    @Test("a struct, and a class that inherits nothing")
    func classes() {
        expectExpansion(
            "@Entity struct Note {\n}", "struct Note {\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: "@Entity is for classes that inherit from ManagedObject, and this is not a class", line: 1,
                    column: 9)
            ])
        expectExpansion(
            "@Entity final class Note {\n}", "final class Note {\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: "an @Entity inherits from ManagedObject: write \"class Note: ManagedObject\"", line: 1,
                    column: 21,
                    fixIts: [FixItSpec(message: "add \": ManagedObject\"")])
            ],
            fixed: "@Entity final class Note: ManagedObject {\n}")
        expectExpansion(
            "@Entity class Note<T>: ManagedObject {\n}", "class Note<T>: ManagedObject {\n}",
            diagnostics: [
                DiagnosticSpec(message: "an entity has one class: Note cannot be generic", line: 1, column: 19)
            ])
    }

    @Test("a property outside of an entity's class")
    func outside() {
        expectExpansion(
            "class Note: ManagedObject {\n    @Attribute var title: String\n}",
            "class Note: ManagedObject {\n    var title: String\n}",
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "@Attribute is for properties of an @Entity class, and Note is not one: write @Entity "
                        + "before it, or get and set by hand", line: 2, column: 5)
            ])
    }

    @Test("let, static, accessors, no type, and T!")
    func declarations() {
        expectRefusal(
            "@Attribute let title: String", "@Attribute needs var: the property's value is the model's", column: 16,
            fixed: ("write var", "@Attribute var title: String"))
        expectRefusal(
            "@Attribute static var title: String", "@Attribute is for properties of objects: they are not static",
            column: 16)
        expectRefusal(
            "@Attribute var title: String { \"\" }",
            "@Attribute makes get and set; a property that has its own needs no macro", column: 34)
        expectRefusal(
            "@Attribute var size = 3", "@Attribute needs the property's type: write \"var size: …\"", column: 20,
            fixed: ("add \": Int\"", "@Attribute var size: Int = 3"))
        expectRefusal(
            "@Attribute var created = Date()", "@Attribute needs the property's type: write \"var created: …\"",
            column: 20)
        expectRefusal(
            "@Attribute var title: String!", "a property of the model is optional, or it is not: there is no String!",
            column: 27, fixed: ("write String?", "@Attribute var title: String?"))
    }

    @Test("types that no attribute has, with those that have one")
    func attributeTypes() {
        expectRefusal(
            "@Attribute var size: UInt8",
            "no attribute type can be inferred from UInt8, only from Int, Int64, Int16, Int32, Double, Float, "
                + "Decimal, String, Bool, Date, Data, Asset, UUID, URL and their optionals; an enumeration needs a "
                + "type, as in @Attribute(.type(.integer16)), any other type a transformer, as in "
                + "@Attribute(.transformer(\"name\")), and an object is a @Relationship", column: 20)
        expectRefusal(
            "@Attribute var names: Set<String>",
            "names is a set: a set of objects is a @Relationship, and a set of values needs a "
                + "transformer, as in @Attribute(.transformer(\"name\"))", column: 20)
        expectRefusal(
            "@Attribute(.externalStorage) var title: String?",
            ".externalStorage is for bytes: title is String?, not Data",
            column: 5)
        expectRefusal(
            "@Attribute(.transformer(\"point\")) var place: Point",
            "a property with a transformer is optional: it reads as nil until it is set",
            column: 43, fixed: ("write Point?", "@Attribute(.transformer(\"point\")) var place: Point?"))
        expectRefusal(
            "@Attribute(.transformer(\"point\")) var place: Point? = Point()",
            "a property with a transformer has no initial value, since the "
                + "model does not encode it; set it in awakeFromInsert()", column: 59)
        expectRefusal(
            "@Attribute(options) var title: String",
            "an option of @Attribute is written out: .externalStorage, .encrypted, .transformer(\"name\") or .type(.integer16)",
            column: 16)
        expectRefusal(
            "@Attribute(.transformer(\"c\"), .type(.string)) var title: String?",
            "a transformer decides the type: leave \".type\" out",
            column: 5)
    }

    @Test("initial values that all objects would share")
    func sharedValues() {
        for value in ["Date()", ".now", "Date.now"] {
            expectRefusal(
                "@Attribute var created: Date = \(value)",
                "the initial value of created would be made once and shared by all objects: set it in awakeFromInsert()",
                column: 36)
        }
        expectRefusal(
            "@Attribute var serial: UUID? = UUID()",
            "the initial value of serial would be made once and shared by all objects: set it in awakeFromInsert()",
            column: 36)
    }

    @Test("relationships without inverse, that are arrays, not optional, or lead to values")
    func relationships() {
        let missing = "folder needs an inverse: the name of the destination's relationship that leads back"
        expectRefusal(
            "@Relationship var folder: Folder?", missing, column: 5,
            fixed: ("add the inverse", "@Relationship(inverse: \"<#inverse#>\") var folder: Folder?"))
        expectRefusal(
            "@Relationship(delete: .deny) var folder: Folder?", missing, column: 5,
            fixed: ("add the inverse", "@Relationship(inverse: \"<#inverse#>\", delete: .deny) var folder: Folder?"))
        expectRefusal(
            "@Relationship(inverse: \"notes\") var tags: [Tag]",
            "a @Relationship to many objects is a Set<Tag>; an ordered one is an array, and is described by hand "
                + "with .toMany(…, ordered: true)",
            column: 47, fixed: ("write Set<Tag>", "@Relationship(inverse: \"notes\") var tags: Set<Tag>"))
        expectRefusal(
            "@Relationship(inverse: \"notes\") var tags: Set<Tag>?",
            "a to-many relationship is a set, which may be empty, and no optional", column: 47,
            fixed: ("write Set<Tag>", "@Relationship(inverse: \"notes\") var tags: Set<Tag>"))
        expectRefusal(
            "@Relationship(inverse: \"notes\") var folder: Folder",
            "a to-one relationship reads as nil until its object has "
                + "arrived: it is a Folder?; to require one at save, say optional: false", column: 49,
            fixed: ("write Folder?", "@Relationship(inverse: \"notes\") var folder: Folder?"))
        expectRefusal(
            "@Relationship(inverse: \"notes\") var title: String?",
            "a relationship leads to objects, and String? is not an object: use @Attribute", column: 48)
        expectRefusal(
            "@Relationship(inverse: \"notes\", optional: true) var tags: Set<Tag>",
            "a to-many relationship may always be empty; require members in validate()", column: 37)
        expectRefusal(
            "@Relationship(inverse: \\.notes) var folder: Folder?",
            "an inverse is a property of the destination, as in \\Folder.notes", column: 28)
        expectRefusal(
            "@Relationship(inverse: \"notes\") var folder: Folder? = .shared",
            "a relationship of a new object is empty: link it in awakeFromInsert()", column: 59)
    }
}
