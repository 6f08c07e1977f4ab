import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@Suite("models")
struct ModelTests {
    @Test("a sound model has no faults, and every property its slot")
    func soundModel() throws {
        let model = try ResolvedModel(.journal)
        let entry = try #require(model.entity(named: "Entry"))
        #expect(entry.columns.map(\.name) == ["text", "count", "created", "photo", "location", "parent"])
        #expect(entry.properties.map(\.slot) == Array(0..<entry.properties.count))
        #expect(model.entity(for: Entry.self) === entry)
        for entity in model.entities {
            for property in entity.relationships {
                let relationship = try #require(property.relationship)
                let inverse = model.inverse(of: relationship)
                #expect(inverse.name == relationship.description.inverse)
                let pair = Set([relationship.storage, try #require(inverse.relationship).storage])
                #expect(pair == [.column, .inverseColumn] || pair == [.ownedLinks, .inverseLinks])
            }
        }
    }

    @Test("every fault of a model is listed, each by name")
    func allFaults() {
        let model = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .attribute("2nd", .string), .attribute("title", .string, external: true),
                    .attribute("count", .integer16, default: "many"),
                    .attribute("shape", .transformable(transformer: "shape")),
                    .toOne("folder", "Folder", inverse: "notes"), .toOne("author", "Person", inverse: "notes"),
                    .toMany("tags", "Tag", inverse: "notes"), .attribute("Title", .string),
                ]
            ).parent("tags"),
            EntityDescription("Folder", [.attribute("name", .string)]).parent("above"),
            EntityDescription("Tag", [.toMany("notes", "Note", inverse: "labels")]),
            EntityDescription("note", []),
        ])
        let error = #expect(throws: BackstitchError.self) { try ResolvedModel(model) }
        #expect(error?.code == .invalidModel)
        let text = error?.description ?? ""
        for fault in [
            "note is defined twice", "\"2nd\"", "Title is defined twice", "Note.title is string",
            "Note.count has a default",
            "Note.shape names the transformer \"shape\"", "Note.folder needs an inverse", "Note.author leads to Person",
            "Note.tags names Tag.notes as inverse", "Tag.notes needs an inverse",
            "Note names \"tags\" as the relationship to its parent",
            "Folder names \"above\" as the relationship to its parent",
        ] { #expect(text.contains(fault), "\(fault) is missing in \(text)") }
    }

    @Test("every fault of unique constraints is listed, each by name")
    func constraintFaults() {
        let model = ManagedObjectModel([
            EntityDescription(
                "Note",
                unique: [
                    [], ["title", "title"], ["size"], ["photo"], ["tags"], ["title"], ["title"], ["cover"],
                    ["folder", "title"],
                ],
                [
                    .attribute("title", .string), .attribute("photo", .binary), .toMany("tags", "Tag", inverse: "note"),
                    .toOne("folder", "Folder", inverse: "notes"), .toOne("cover", "Cover", inverse: "note"),
                ]),
            EntityDescription("Tag", [.toOne("note", "Note", inverse: "tags")]),
            EntityDescription("Folder", [.toMany("notes", "Note", inverse: "folder")]),
            EntityDescription("Cover", [.toOne("note", "Note", inverse: "cover")]),
        ])
        let error = #expect(throws: BackstitchError.self) { try ResolvedModel(model) }
        #expect(
            error?.faults.map(\.message) == [
                "a unique constraint of Note names no property",
                "the unique constraint Note(title, title) names a property twice",
                "the unique constraint Note(size) names size, which the entity does not have",
                "the unique constraint Note(photo) names photo, which is binary: bytes cannot be unique",
                "the unique constraint Note(tags) names tags, which is to-many",
                "the unique constraint Note(title) is defined twice",
                "the unique constraint Note(cover) names cover, whose link is stored with Cover.note",
            ])
    }

    @Test("every fault of ordered relationships is listed, each by name")
    func orderFaults() {
        let long = String(repeating: "r", count: 60)
        let model = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .toOne("folder", "Folder", inverse: "notes"), .attribute("folder_position", .string),
                    .toMany("tags", "Tag", inverse: "notes", ordered: true), .attribute("Tags_order", .binary),
                    .toOne(long, "Folder", inverse: "others"),
                ]),
            EntityDescription(
                "Folder",
                [
                    .toMany("notes", "Note", inverse: "folder", ordered: true),
                    .toMany("others", "Note", inverse: long, ordered: true),
                    .relationship(
                        RelationshipDescription("cover", to: "Tag", inverse: "folder", toMany: false, ordered: true)),
                ]),
            EntityDescription(
                "Tag", [.toMany("notes", "Note", inverse: "tags"), .toOne("folder", "Folder", inverse: "cover")]),
        ])
        let error = #expect(throws: BackstitchError.self) { try ResolvedModel(model) }
        #expect(
            error?.faults.map(\.message) == [
                "Note.tags_order is reserved for the stored order of Note.tags; rename it",
                "Note.folder_position is reserved for the stored order of Folder.notes; rename it",
                "the name of Folder.others is too long for an ordered relationship",
                "Folder.cover is to-one, and so cannot be ordered",
            ])
    }

    @Test("every fault of a family of entities is listed, each by name")
    func familyFaults() {
        let name = PropertyDescription.attribute("name", .string)
        let model = ManagedObjectModel([
            EntityDescription("Animal", [name]),
            EntityDescription("Dog", parent: "Animal", [.attribute("Name", .string)]),
            EntityDescription("Bird", parent: "Animal", unique: [["name"]], [.attribute("song", .string)]),
            EntityDescription("Fish", parent: "Animal", [.attribute("song", .string)]),
            EntityDescription("Lost", parent: "Nobody", []), EntityDescription("One", parent: "Two", []),
            EntityDescription("Two", parent: "One", []), EntityDescription("Self", parent: "Self", []),
        ])
        let error = #expect(throws: BackstitchError.self) { try ResolvedModel(model) }
        #expect(
            error?.faults.map(\.message) == [
                "Dog.Name is already defined in Animal, and Dog inherits it; rename or remove one of them",
                "the unique constraint Bird(name) names only inherited properties, which relatives of Bird also "
                    + "have; move it to the parent",
                "Lost has the parent Nobody, which the model does not have",
                "One is its own ancestor: its parents lead back to it",
                "Two is its own ancestor: its parents lead back to it",
                "Self is its own ancestor: its parents lead back to it",
            ])
    }

    @Test("every fault of derived attributes is listed, with its expression")
    func derivationFaults() {
        var required = AttributeDescription("required", .date, optional: false)
        required.derivation = "now()"
        let model = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("size", .integer16),
                    .toOne("folder", "Folder", inverse: "notes"),
                    .derived("fine", .integer64, from: "folder.size"), .derived("a", .string, from: "title.length()"),
                    .derived("b", .string, from: "folder.notes.title"), .derived("c", .string, from: "size"),
                    .derived("d", .string, from: "uppercase:(size)"), .derived("e", .string, from: "a"),
                    .derived("f", .integer64, from: "folder.@count"), .derived("g", .integer64, from: "title.name"),
                    .derived("h", .integer64, from: "now()"), .attribute(required),
                ]),
            EntityDescription(
                "Folder",
                [
                    .attribute("size", .integer64), .toMany("notes", "Note", inverse: "folder"),
                    .derived("i", .string, from: "notes.@count"), .derived("j", .integer64, from: "notes.@sum.title"),
                    .derived("k", .integer16, from: "notes.@sum.size"),
                    .derived("l", .integer64, from: "notes.size.@sum"),
                    .derived("m", .integer64, from: "notes.@max.size"),
                ]),
        ])
        let error = #expect(throws: BackstitchError.self) { try ResolvedModel(model) }
        #expect(
            error?.faults.compactMap(\.key) == "abcdefgh".map { "Note.\($0)" } + ["Note.required"]
                + "ijkm".map { "Folder.\($0)" })
        #expect(
            error?.message.contains(
                "Folder.k, derived from \"notes.@sum.size\", is integer16, and a sum of integer16 is integer64") == true
        )
        #expect(error?.message.contains("Note.a, derived from \"title.length()\", is not an expression") == true)
    }

    @Test("every fault of composite attributes and their parts is listed, each by name")
    func compositeFaults() {
        var required = AttributeDescription("place", .string, optional: false)
        required.elements = [AttributeDescription("x", .integer16, default: "many")]
        let model = ManagedObjectModel([
            EntityDescription(
                "Note", unique: [["address_city"], ["address_zip"]],
                [
                    .attribute("address_city", .string),
                    .composite("address", [AttributeDescription("city", .string)]),
                    .attribute(required),
                ])
        ])
        let error = #expect(throws: BackstitchError.self) { try ResolvedModel(model) }
        #expect(
            error?.faults.map { $0.message.prefix(44) }
                == [
                    "Note.place is composite: declare default, re", "Note.address_city is defined twice",
                    "Note.place_x has a default that does not fit", "the unique constraint Note(address_zip) names",
                ].map { $0.prefix(44) })
    }

    @Test(
        "a transformable attribute without its transformer keeps the store from being opened; a transformer takes its own type only"
    )
    func transformers() throws {
        let entity = EntityDescription("Note", [.attribute("place", .transformable(transformer: "point"))])
        let error = #expect(throws: BackstitchError.self) { try ResolvedModel(ManagedObjectModel([entity])) }
        #expect(error?.code == .invalidModel && error?.key == "Note.place")
        let transformer = ValueTransformer.json("point", Point.self)
        let refusal = #expect(throws: BackstitchError.self) { try transformer.encode("no point") }
        #expect(refusal?.code == .invalidValue && refusal?.key == "point")
        #expect(throws: DecodingError.self) { try transformer.decode(Data("[]".utf8)) }
    }

    @Test("keys rise within a generator, also when the clock stands or steps back, and carry version and variant")
    func keysRise() {
        let clock = VirtualClock()
        let generator = ObjectIDGenerator(clock: clock, random: SeededGenerator(seed: 7))
        var keys: [ObjectKey] = []
        for step in 0..<20_000 {
            if step == 10_000 { clock.jump(by: -5_000) }
            if step == 15_000 { clock.advance(by: 60_000) }
            keys.append(generator.next())
        }
        #expect(zip(keys, keys.dropFirst()).allSatisfy(<))
        #expect(keys.allSatisfy { $0.high >> 12 & 0xF == 7 && $0.low >> 62 == 2 })
        let again = ObjectIDGenerator(clock: VirtualClock(), random: SeededGenerator(seed: 7))
        #expect(again.next() == keys[0])
    }

    @Test("a key's text is that of its UUID, and no other text spells a key")
    func keyText() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let key = ObjectKey(high: random.next(), low: random.next())
            let text = key.uuid.uuidString
            #expect(key.uuidString == text)
            #expect(ObjectKey(uuidString: text) == key && ObjectKey(canonical: text) == key)
            let lower = text.lowercased()
            #expect(ObjectKey(uuidString: lower) == key && (ObjectKey(canonical: lower) == nil || lower == text))
        }
        let text = "01A200BC-B0B9-7171-9876-0EFD7A3058FE"
        for place in 0..<text.utf8.count {
            var bytes = Array(text.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "-") ? UInt8(ascii: "0") : UInt8(ascii: "g")
            #expect(ObjectKey(uuidString: String(decoding: bytes, as: UTF8.self)) == nil)
        }
        for text in ["", "0", text + "0", String(text.dropLast()), "{\(text)}", " " + text.dropFirst()] {
            #expect(ObjectKey(uuidString: text) == nil, "\(text)")
        }
    }

    @Test("an identity survives its URI, its JSON and its text")
    func identityRoundTrip() throws {
        let id = ObjectID(entityName: "Note", key: ObjectIDGenerator().next())
        #expect(ObjectID(uriRepresentation: id.uriRepresentation) == id)
        #expect(try JSONDecoder().decode([ObjectID].self, from: JSONEncoder().encode([id])) == [id])
        #expect(ObjectKey(uuidString: id.key.uuidString) == id.key)
        #expect(ObjectKey(uuidString: id.key.uuidString.lowercased()) == id.key)
        #expect(ObjectID(uriRepresentation: try #require(URL(string: "https:///Note/\(id.key.uuidString)"))) == nil)
    }

    @Test("values are equal by their bytes, not by Unicode's equivalence")
    func exactEquality() {
        #expect(Value.string("\u{E9}") != Value.string("e\u{301}"))
        #expect(Value.string("\u{E9}") == Value.string("\u{E9}"))
        #expect(Value.double(.nan) == Value.double(.nan))
        #expect(Value.int(1) != Value.double(1))
        #expect(Value.bool(true) != Value.int(1))
    }
}
