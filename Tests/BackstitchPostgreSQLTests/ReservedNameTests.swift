import Backstitch
import BackstitchTestKit
import Testing

@testable import BackstitchPostgreSQL

@Suite("names that PostgreSQL keeps for itself")
struct ReservedNameTests {
    @Test(
        "are faults of the model, which say so; nothing is made in the database",
        arguments: ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"].map { ("Note", $0) } + [("pg_class", "name")])
    func refused(_ entity: String, _ attribute: String) throws {
        let schema = TestDatabase.newSchema()
        let model = ManagedObjectModel([EntityDescription(entity, [.attribute(attribute, .string)])])
        let error = #expect(throws: BackstitchError.self) { try TestDatabase.container(model, schema: schema) }
        #expect(error?.code == .invalidModel)
        let named = entity == "Note" ? "Note.\(attribute)" : entity
        #expect(error?.message.contains("\(named) cannot be stored") == true, "\(error?.message ?? "")")
        // The schema is free for a sound model.
        let sound = ManagedObjectModel([
            EntityDescription("Note", [.attribute("Xmin", .string), .attribute("oid", .string)])
        ])
        try TestDatabase.container(sound, schema: schema).close()
    }
}
