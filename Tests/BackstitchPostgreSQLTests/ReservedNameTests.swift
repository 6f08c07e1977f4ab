import Backstitch
import BackstitchTestKit
import Testing

@testable import BackstitchPostgreSQL

@Suite("names that PostgreSQL keeps for itself")
struct ReservedNameTests {
    init() { StoreRegistry.register(PostgreSQLStore.self) }

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

    @Test("are those that the server names")
    func known() async throws {
        try await onThread {
            let store = try TestDatabase.store()
            defer { try? store.close() }
            let columns = try store.texts(
                "SELECT attname FROM pg_attribute WHERE attrelid = 'pg_class'::regclass AND attnum < 0")
            #expect(Set(columns) == PostgreSQLDialect().reservedColumns)
        }
    }

    /// Words that it takes as names without quotes too are no risk.
    @Test("are none of the server's keywords: each may name all parts of a model", arguments: tried)
    func keywords(part: Int) async throws {
        let words = try await onThread {
            let store = try TestDatabase.store()
            defer { try? store.close() }
            return try store.texts("SELECT word FROM pg_get_keywords() WHERE catcode <> 'U' ORDER BY word")
        }
        #expect(words.count > 120 && words.contains("select"))
        let chosen = words.enumerated().filter { $0.offset % Self.parts == part }.map(\.element)
        for conformanceCase in StoreConformance.makeNameCases(of: chosen) {
            try await conformanceCase.run(on: PostgreSQLConformanceTests.store)
        }
    }

    /// The keywords are tried in parts: a save looks for some keys in all tables, so its time grows with their number.
    private static let parts = 6
    /// `make test` tries one of the parts, and `make campaigns` all.
    private static let tried = Effort.isWhole ? Array(0..<parts) : [Int.random(in: 0..<parts)]
}
