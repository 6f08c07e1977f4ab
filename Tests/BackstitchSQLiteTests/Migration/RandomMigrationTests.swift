import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Testing

@Suite("Random migrations")
struct RandomMigrationTests {
    private static let count: UInt64 = 20

    @Test("keep every value and link that has a place, and leave the tables that a new store would have")
    func migrate() async throws {
        let seed = SeededGenerator.seed()
        let store = StoreUnderTest("SQLite in a file") { folder in
            PersistentStoreDescription(type: .sqlite, url: folder.appending(path: "store.sqlite"))
        }
        for number in 0..<Self.count {
            try await RandomMigrations.run(seed: seed &+ number, on: store) { folder, model in
                let fresh = folder.appending(path: "fresh.sqlite")
                try PersistentStoreCoordinator(
                    model: model, store: PersistentStoreDescription(type: .sqlite, url: fresh)
                ).store.close()
                #expect(
                    try schema(of: folder.appending(path: "store.sqlite")) == schema(of: fresh),
                    "seed \(seed &+ number)")
                try PersistentStoreCoordinator.destroyPersistentStore(at: fresh, type: .sqlite)
            }
        }
        print("counted: \(Self.count) random models through 3 migrations each, from seed \(seed)")
    }

    /// Tables and indexes, with the columns of each in the order of their names: a migration puts new columns behind
    /// the old ones.
    private func schema(of file: URL) throws -> [String] {
        try DatabaseFile(url: file).strings(
            """
            SELECT item.type || ' ' || item.name || ': ' || ifnull(
                (SELECT group_concat(line) FROM
                    (SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk AS line
                        FROM pragma_table_info(item.name) ORDER BY name)), '')
            FROM sqlite_master AS item WHERE name NOT LIKE 'sqlite_%' ORDER BY 1
            """)
    }
}
