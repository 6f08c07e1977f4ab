import Backstitch
import BackstitchSQL
import Testing

@Suite("Model fingerprints")
struct ModelFingerprintTests {
    private func fingerprint(_ note: [PropertyDescription], _ others: [EntityDescription] = []) throws
        -> ModelFingerprint
    {
        ModelFingerprint(try ResolvedModel(ManagedObjectModel([EntityDescription("Note", note)] + others)))
    }

    private let tag = EntityDescription(
        "Tag", [.attribute("name", .string), .toMany("notes", "Note", inverse: "tags")])

    @Test("order, defaults and delete rules do not make another model")
    func insignificant() throws {
        let one = try fingerprint(
            [
                .attribute("title", .string, default: "a"), .attribute("size", .integer32),
                .toMany("tags", "Tag", inverse: "notes"),
            ],
            [tag])
        let other = ModelFingerprint(
            try ResolvedModel(
                ManagedObjectModel([
                    tag,
                    EntityDescription(
                        "Note",
                        [
                            .toMany("tags", "Tag", inverse: "notes", delete: .cascade), .attribute("size", .integer32),
                            .attribute("title", .string),
                        ]),
                ])))
        #expect(one == other)
        #expect(try one.text() == other.text())
        #expect(other.differences(from: one).isEmpty)
    }

    @Test("a unique constraint makes another model, its place in the list does not")
    func constraints() throws {
        let properties: [PropertyDescription] = [.attribute("a", .string), .attribute("b", .string)]
        func fingerprint(_ unique: [[String]]) throws -> ModelFingerprint {
            ModelFingerprint(
                try ResolvedModel(ManagedObjectModel([EntityDescription("Note", unique: unique, properties)])))
        }
        let none = try fingerprint([]), both = try fingerprint([["a"], ["b", "a"]])
        #expect(try both == fingerprint([["b", "a"], ["a"]]))
        #expect(both.differences(from: none) == ["the unique constraints of Note changed"])
        #expect(try ModelFingerprint(text: both.text()) == both)
    }

    @Test("a parent makes another model, whose fingerprint tells what each entity declares itself")
    func parents() throws {
        func fingerprint(parent: String?) throws -> ModelFingerprint {
            ModelFingerprint(
                try ResolvedModel(
                    ManagedObjectModel([
                        EntityDescription("Animal", unique: [["name"]], [.attribute("name", .string)]),
                        EntityDescription("Dog", parent: parent, [.attribute("tricks", .integer16)]),
                    ])))
        }
        let alone = try fingerprint(parent: nil), family = try fingerprint(parent: "Animal")
        #expect(family.entities == alone.entities && family.constraints == alone.constraints)
        #expect(family.differences(from: alone) == ["the parent of Dog changed to Animal"])
        let read = try ModelFingerprint(text: family.text())
        #expect(read == family)
        #expect(ModelFingerprint(try read.model()) == family)
    }

    @Test("the text is canonical and reads back")
    func text() throws {
        let fingerprint = try fingerprint([
            .attribute("b", .binary, external: true), .attribute("a", .decimal, optional: false),
        ])
        let expected =
            #"{"entities":{"Note":{"a":{"optional":false,"type":"decimal"},"b":{"external":true,"optional":true,"type":"binary"}}}}"#
        #expect(try fingerprint.text() == expected)
        #expect(try ModelFingerprint(text: expected) == fingerprint)
        #expect(throws: BackstitchError.self) { try ModelFingerprint(text: "{}") }
    }

    @Test("each difference is named in words")
    func differences() throws {
        let before = try fingerprint(
            [
                .attribute("title", .string), .attribute("price", .double), .attribute("old", .date),
                .attribute("photo", .binary), .toMany("tags", "Tag", inverse: "notes"),
            ], [tag])
        let after = try fingerprint(
            [
                .attribute("title", .string, optional: false), .attribute("price", .decimal), .attribute("new", .date),
                .attribute("photo", .binary, external: true), .toOne("folder", "Folder", inverse: "notes"),
            ], [EntityDescription("Folder", [.toMany("notes", "Note", inverse: "folder")])])
        #expect(
            after.differences(from: before) == [
                "entity Folder was added", "Note.folder was added", "Note.new was added", "Note.old was removed",
                "Note.photo changed to external storage", "Note.price changed from double to decimal",
                "Note.tags was removed",
                "Note.title changed from optional to required", "entity Tag was removed",
            ])
        let error = after.mismatch(with: before, store: "notes.sqlite", reason: "it may not be migrated")
        #expect(error.code == .modelMismatch)
        #expect(
            error.message.contains("notes.sqlite")
                && error.message.contains("Note.price changed from double to decimal"))
    }

    @Test("a relationship that leads elsewhere is another model")
    func inverse() throws {
        let before = try fingerprint([.toOne("a", "Note", inverse: "b"), .toOne("b", "Note", inverse: "a")])
        let after = try fingerprint([.toOne("a", "Note", inverse: "a"), .toOne("b", "Note", inverse: "b")])
        #expect(
            after.differences(from: before) == [
                "Note.a changed its inverse from Note.b to Note.a", "Note.b changed its inverse from Note.a to Note.b",
            ])
    }
}
