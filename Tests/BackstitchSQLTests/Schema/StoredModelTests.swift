import Backstitch
import BackstitchSQL
import Testing

@Suite("Models as stores keep them")
struct StoredModelTests {
    private let model = ManagedObjectModel(
        [
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string, optional: false, default: "").renamed(from: "name"),
                    .attribute("photo", .binary, external: true),
                    .attribute("place", .transformable(transformer: "point")),
                    .toMany("tags", "Tag", inverse: "notes"), .toOne("next", "Note", inverse: "before"),
                    .toOne("before", "Note", inverse: "next"),
                ]
            ).renamed(from: "Memo"),
            EntityDescription("Tag", [.attribute("rank", .integer16), .toMany("notes", "Note", inverse: "tags")]),
        ], transformers: [.json("point", Int.self)])

    @Test("a model made again from its fingerprint stores alike, and knows the earlier names")
    func roundTrip() throws {
        let fingerprint = ModelFingerprint(try ResolvedModel(model))
        let again = try ModelFingerprint(text: fingerprint.text()).model()
        #expect(ModelFingerprint(again) == fingerprint)
        #expect(try ModelFingerprint(again).text() == fingerprint.text())
        for entity in try ResolvedModel(model).entities {
            let other = try again.requireEntity(named: entity.name)
            #expect(Set(entity.columns.map(\.name)) == Set(other.columns.map(\.name)))
            for property in entity.relationships {
                #expect(other.property(named: property.name)?.relationship?.storage == property.relationship?.storage)
            }
        }
    }

    @Test("the version hash changes with what is stored, and not with earlier names")
    func hash() throws {
        let hash = try ModelFingerprint(try ResolvedModel(model)).versionHash()
        #expect(hash.count == 64)
        var other = model
        other.entities[0].renamingIdentifier = nil
        let renamed = ModelFingerprint(try ResolvedModel(other))
        #expect(try renamed.versionHash() == hash)
        #expect(renamed.storesLike(ModelFingerprint(try ResolvedModel(model))))
        other.entities[1].properties.append(.attribute("colour", .string))
        #expect(try ModelFingerprint(try ResolvedModel(other)).versionHash() != hash)
    }

    @Test("a fingerprint of a newer version, or a damaged one, is an error")
    func damaged() throws {
        for (text, code) in [
            (#"{"entities":{"Note":{"a":{"type":"colour"}}}}"#, BackstitchError.Code.newerFormat),
            (#"{"entities":{"Note":{"a":{"type":"toOne","inverse":"x"}}}}"#, .newerFormat),
            (#"{"entities":{"Note":{"a":{"type":"toOne","inverse":"Tag.x"}}}}"#, .storeFailure),
        ] {
            let error = #expect(throws: BackstitchError.self) { try ModelFingerprint(text: text).model() }
            #expect(error?.code == code, "\(text)")
        }
    }

    @Test("two that claim the same earlier name are a fault of the model")
    func clashes() {
        let model = ManagedObjectModel([
            EntityDescription(
                "A", [.attribute("x", .string).renamed(from: "z"), .attribute("y", .string).renamed(from: "z")]
            ).renamed(from: "C"),
            EntityDescription("B", [.attribute("x", .string)]).renamed(from: "C"),
        ])
        #expect(
            model.faults().map(\.message) == [
                "entities A and B both claim the former name C", "A.x and A.y both claim the former name z",
            ])
    }
}
