import Backstitch
import Testing

@Suite("encrypted attributes in a model")
struct EncryptedModelTests {
    private func faults(_ properties: [PropertyDescription]) -> [BackstitchError] {
        ManagedObjectModel([
            EntityDescription(
                "Note", properties + [.toOne("folder", "Folder", inverse: "notes")]),
            EntityDescription("Folder", [.toMany("notes", "Note", inverse: "folder")]),
        ]).faults()
    }

    @Test("attributes of each type may be encrypted, assets and parts of composites too")
    func kinds() throws {
        let types: [AttributeType] = [
            .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid,
            .uri,
        ]
        var properties = types.map { PropertyDescription.attribute("\($0)", $0).encrypted() }
        properties.append(.attribute("photo", .binary, external: true).encrypted())
        properties.append(.composite("address", [.init("street", .string), .init("city", .string)]).encrypted())
        properties.append(.attribute("plain", .string))
        #expect(faults(properties).isEmpty)
        let model = try ResolvedModel(ManagedObjectModel([EntityDescription("Note", properties)]))
        let encrypted = model.entities[0].properties.filter { $0.attribute?.isEncrypted == true }.map(\.name)
        #expect(
            Set(encrypted) == Set(types.map(\.description) + ["photo", "address_street", "address_city"]))
    }

    @Test("an attribute that never leaves the device is refused by name, and so is a relationship")
    func refusals() {
        let found = faults([
            .attribute("draft", .string, transient: true).encrypted(), .attribute("title", .string),
            .derived("copy", .string, from: "title").encrypted(),
            .attribute("place", .integer64).synced(.none).encrypted(),
            .toOne("other", "Folder", inverse: "notes").encrypted(),
        ])
        #expect(found.map(\.code) == Array(repeating: .invalidModel, count: 4))
        #expect(found.map(\.key) == ["Note.draft", "Note.copy", "Note.place", "Note.other"])
        #expect(found.allSatisfy { $0.message.contains("encrypted") })
    }
}
