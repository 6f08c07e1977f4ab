import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchPostgreSQL

@Suite("indexes of a PostgreSQL store")
struct FetchIndexTests {
    private static let model = ManagedObjectModel([
        EntityDescription(
            "Thing",
            [
                .attribute("name", .string), .attribute("count", .integer32), .attribute("price", .decimal),
                .attribute("weight", .double), .attribute("sold", .boolean), .attribute("made", .date),
            ]
        )
        .indexed("name").indexed(.ascending("name", options: .caseInsensitive)).indexed(.descending("count"), "name")
        .indexed("price").indexed("weight").indexed("sold", .descending("made"))
    ])

    private static let fetches: [(String, [FetchSortDescriptor], String)] = [
        ("name == 'a'", [], "fetch.Thing.name"), ("name > 'z'", [], "fetch.Thing.name"),
        ("name BEGINSWITH 'a'", [], "fetch.Thing.name"), ("name ==[c] 'a'", [], "fetch.Thing.name[c]"),
        ("name BEGINSWITH[c] 'a'", [], "fetch.Thing.name[c]"), ("name IN[c] {'a', 'b'}", [], "fetch.Thing.name[c]"),
        ("name >[c] 'z'", [], "fetch.Thing.name[c]"), ("count == 3", [], "fetch.Thing.-count+name"),
        ("count BETWEEN {1, 3}", [], "fetch.Thing.-count+name"),
        ("count == 3 AND name > 'Name'", [], "fetch.Thing.-count+name"),
        ("price == 1.5", [], "fetch.Thing.price"), ("price < 10", [], "fetch.Thing.price"),
        ("weight >= 2990.5", [], "fetch.Thing.weight"), ("sold == NO", [.descending("made")], "fetch.Thing.sold+-made"),
        ("TRUEPREDICATE", [.ascending("price")], "fetch.Thing.price"),
        ("TRUEPREDICATE", [.ascending("weight")], "fetch.Thing.weight"),
        ("TRUEPREDICATE", [.descending("name", options: .caseInsensitive)], "fetch.Thing.name[c]"),
    ]

    @Test("the plan of a fetch that an index serves uses it")
    func plans() async throws {
        try await onThread {
            let store = try TestDatabase.store(Self.model)
            let model = store.configuration.model, entity = try model.requireEntity(named: "Thing")
            try store.execute(
                "INSERT INTO \"Thing\" (_id, _version, name, count, price, weight, sold, made) SELECT gen_random_uuid(), 1, "
                    + "'Name ' || n, n, n, n, n % 2 = 0, n FROM generate_series(1, 3000) AS n")
            try store.execute("ANALYZE \"Thing\"")
            for (format, order, index) in Self.fetches {
                let request = StoreFetchRequest(
                    entity: entity, predicate: try FetchPredicate(format: format), sortDescriptors: order,
                    limit: order.isEmpty ? nil : 10)
                var statement = try FetchStatements(ModelStatements(model, dialect: .postgreSQL)).rows(request)
                    .preceded(by: "EXPLAIN ")
                statement.isAdHoc = true
                var lines: [String] = []
                try store.database.read(isSnapshot: true) { connection in
                    for scan in ["seqscan", "bitmapscan"] {
                        try connection.run(SQLStatement(.postgreSQL, "SET LOCAL enable_\(scan) = off"))
                    }
                    try connection.forEachRow(of: statement) { lines.append($0.text(0)) }
                }
                let plan = lines.joined(separator: "\n")
                #expect(plan.contains("using \"\(index)\"") || plan.contains("using \(index) "), "\(format):\n\(plan)")
                // The rows from the index are in order, except for equal objects.
                #expect(order.isEmpty || !plan.contains("->  Sort ") && !plan.hasPrefix("Sort "), "\(format):\n\(plan)")
            }
            try store.close()
        }
    }

    @Test("an index that is added to a large table is there for all who have it open")
    func added() async throws {
        let schema = TestDatabase.newSchema()
        let plain = ManagedObjectModel([EntityDescription("Thing", Self.model.entities[0].properties)])
        try await onThread {
            let old = try TestDatabase.store(plain, schema: schema)
            try TestDatabase.store(Self.model, schema: schema).close()
            let query =
                "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(schema)' AND indexname LIKE 'fetch.%'"
            #expect(try old.texts(query).count == 6)
            let entity = try old.configuration.model.requireEntity(named: "Thing")
            #expect(try old.count(StoreFetchRequest(entity: entity)) == 0)
            try TestDatabase.store(plain, schema: schema).close()
            #expect(try old.texts(query).isEmpty)
            try old.close()
        }
    }
}
