import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Indexes of a SQLite store")
struct FetchIndexTests {
    private static let model = ManagedObjectModel([
        EntityDescription(
            "Thing",
            [
                .attribute("name", .string), .attribute("count", .integer32), .attribute("price", .decimal),
                .attribute("weight", .double), .attribute("sold", .boolean), .attribute("made", .date),
                .attribute("photo", .binary),
            ]
        )
        .indexed("name").indexed(.ascending("name", options: .caseInsensitive)).indexed(.descending("count"), "name")
        .indexed("price").indexed("weight").indexed("sold", .descending("made"))
    ])

    /// Without an order SQLite may prefer to find rows by their keys, which are the default order.
    @Test(
        "the plan of a fetch that an index serves uses it",
        arguments: [
            ("name == 'a'", [], "fetch.Thing.name"), ("name > 'a'", [.ascending("name")], "fetch.Thing.name"),
            ("name BEGINSWITH 'a'", [], "fetch.Thing.name"), ("name ==[c] 'a'", [], "fetch.Thing.name[c]"),
            ("name BEGINSWITH[c] 'a'", [], "fetch.Thing.name[c]"), ("name IN[c] {'a', 'b'}", [], "fetch.Thing.name[c]"),
            ("name <[c] 'm'", [.ascending("name", options: .caseInsensitive)], "fetch.Thing.name[c]"),
            ("count == 3", [], "fetch.Thing.-count+name"),
            ("count BETWEEN {1, 3}", [], "fetch.Thing.-count+name"),
            ("count == 3 AND name > 'a'", [], "fetch.Thing.-count+name"),
            ("price == 1.5", [], "fetch.Thing.price"), ("price < 10", [.descending("price")], "fetch.Thing.price"),
            ("weight >= 1.5", [.ascending("weight")], "fetch.Thing.weight"),
            ("sold == NO", [.descending("made")], "fetch.Thing.sold+-made"),
            ("TRUEPREDICATE", [.ascending("price")], "fetch.Thing.price"),
            ("TRUEPREDICATE", [.descending("name", options: .caseInsensitive)], "fetch.Thing.name[c]"),
        ] as [(String, [FetchSortDescriptor], String)])
    func plan(format: String, order: [FetchSortDescriptor], index: String) throws {
        let fixture = try StoreFixture(Self.model)
        let store = try fixture.open()
        let request = StoreFetchRequest(
            entity: try fixture.entity("Thing"), predicate: try FetchPredicate(format: format), sortDescriptors: order)
        var statement = try FetchStatements(ModelStatements(fixture.model, dialect: .sqlite)).rows(request).preceded(
            by: "EXPLAIN QUERY PLAN ")
        statement.isAdHoc = true
        var steps: [String] = []
        try store.database.read(isSnapshot: false) { try $0.forEachRow(of: statement) { steps.append($0.text(3)) } }
        let plan = steps.joined(separator: "; ")
        #expect(plan.contains("USING INDEX \(index)"), "\(plan)")
        #expect(order.isEmpty || !plan.contains("USE TEMP B-TREE FOR ORDER BY"), "\(plan)")
        try store.close()
    }

    @Test(
        "a model that only differs by its indexes is opened without permission to migrate, and leaves them as they are")
    func withoutPermission() throws {
        let fixture = try StoreFixture(Self.model)
        try fixture.open().close()
        let plain = ManagedObjectModel(
            Self.model.entities.map { entity in
                var entity = entity
                entity.indexes = []
                return entity
            })
        let names = "SELECT name FROM sqlite_schema WHERE name LIKE 'fetch.%' ORDER BY name"
        let file = DatabaseFile(url: fixture.file), before = try file.strings(names)
        #expect(before.count == 6)
        for permission in [false, true] {
            let description = PersistentStoreDescription(
                type: .sqlite, url: fixture.file, options: [.migratesStoreAutomatically: permission])
            try PersistentContainer(model: plain, store: description).close()
            #expect(try file.strings(names) == (permission ? [] : before))
        }
    }
}
