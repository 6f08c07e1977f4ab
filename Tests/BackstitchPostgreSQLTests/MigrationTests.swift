import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchPostgreSQL

@Suite("migrating a PostgreSQL store")
struct MigrationTests {
    private static let first = ManagedObjectModel([
        EntityDescription("Note", [.attribute("title", .string), .attribute("rank", .integer64)])
    ])
    private static let second = ManagedObjectModel([
        EntityDescription(
            "Memo",
            [.attribute("heading", .string).renamed(from: "title"), .attribute("stars", .integer32, default: 2)]
        ).renamed(from: "Note")
    ])

    /// A store of the first model with rows in it.
    private func makeStore(rows count: Int) throws -> String {
        let schema = TestDatabase.newSchema()
        let store = try TestDatabase.store(Self.first, schema: schema)
        try store.execute(
            "INSERT INTO \"Note\" (_id, _version, title, rank) "
                + "SELECT gen_random_uuid(), 1, 'note ' || n, n FROM generate_series(1, \(count)) AS n")
        try store.close()
        return schema
    }

    @Test("of eight that start at once with the next model one migrates, and all find it done")
    func together() async throws {
        let schema = try await onThread { try makeStore(rows: 20_000) }
        let counts = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await onThread {
                        let store = try TestDatabase.store(Self.second, schema: schema)
                        defer { try? store.close() }
                        return try store.texts(
                            "SELECT count(*) || ' ' || sum(stars) || ' ' || count(heading) FROM \"Memo\"")
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(counts == Array(repeating: "20000 40000 20000", count: 8))
        let store = try TestDatabase.store(Self.second, schema: schema)
        defer { try? store.close() }
        // A second migration would have put another hash behind.
        let lineage = try store.texts("SELECT value FROM backstitch_store WHERE name = 'lineage'")
        let hashes = try JSONDecoder().decode([String].self, from: Data(try #require(lineage.first).utf8))
        #expect(hashes.count == 2)
    }

    @Test("a migration waits for a transaction of a program that still runs, and sees what it wrote")
    func waits() async throws {
        let schema = try await onThread { try makeStore(rows: 10) }
        let old = try await onThread { try TestDatabase.store(Self.first, schema: schema) }
        let migrated = Locked(false)
        let begun = DispatchSemaphore(value: 0)
        async let migration = onThread {
            begun.wait()
            let store = try TestDatabase.store(Self.second, schema: schema, options: [.postgresStatementTimeout: 0.2])
            migrated.withLock { $0 = true }
            defer { try? store.close() }
            return try store.texts("SELECT count(*)::text FROM \"Memo\"")
        }
        try await onThread {
            try old.writeJournal(author: "old") { journal in
                let entity = try #require(old.configuration.model.entity(named: "Note"))
                var rows = RowBatchBuilder(entity: entity)
                rows.beginRow(key: old.configuration.generator.next(), version: 1)
                rows.append("late")
                rows.append(1 as Value)
                try journal.upsert(rows.finish())
                begun.signal()
                // Longer than the statement timeout of the one that waits.
                Thread.sleep(forTimeInterval: 0.6)
                #expect(!migrated.withLock { $0 })
            }
        }
        #expect(try await migration == ["11"])
        // The old program is told, and harms nothing.
        try await onThread {
            let entity = try #require(old.configuration.model.entity(named: "Note"))
            let error = #expect(throws: BackstitchError.self) { try old.count(StoreFetchRequest(entity: entity)) }
            #expect(error?.message.contains("Note") == true)
            try old.close()
        }
    }

    @Test("rows of a program that still runs with the older model have the defaults of new attributes")
    func olderProgram() async throws {
        let next = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("rank", .integer64),
                    .attribute("stars", .integer32, optional: false, default: 2),
                ])
        ])
        try await onThread {
            let schema = try makeStore(rows: 1)
            let old = try TestDatabase.store(Self.first, schema: schema)
            let new = try TestDatabase.store(next, schema: schema)
            let entity = try #require(old.configuration.model.entity(named: "Note"))
            var rows = RowBatchBuilder(entity: entity)
            rows.beginRow(key: old.configuration.generator.next(), version: 1)
            rows.append("late")
            rows.append(1 as Value)
            var request = SaveChangesRequest()
            request.inserts = [rows.finish()]
            _ = try old.save(request)
            #expect(try new.texts("SELECT stars::text FROM \"Note\"") == ["2", "2"])
            try new.close()
            try old.close()
        }
    }

    @Test("after a failed migration the schema is what it was")
    func failure() throws {
        let schema = try makeStore(rows: 100)
        let failing = MigrationStage.custom("fails late", from: Self.first, to: Self.second) { rows in
            var count = 0
            try rows.update("Memo") { _, new in
                try new.set("heading", "changed")
                count += 1
                if count == 50 { throw BackstitchError(.cancelled, "enough") }
            }
        }
        let error = #expect(throws: BackstitchError.self) {
            let description = try TestDatabase.description(schema: schema)
            let options = try StoreOptions(
                description.options, specifications: PostgreSQLStore.optionSpecifications(for: description.options))
            _ = try PostgreSQLStore(
                StoreConfiguration(
                    model: ResolvedModel(Self.second), url: description.url, options: options,
                    migrationStages: [failing]))
        }
        #expect(error?.code == .cancelled)
        let store = try TestDatabase.store(Self.first, schema: schema)
        #expect(try store.texts("SELECT count(*)::text FROM \"Note\" WHERE title LIKE 'note %'") == ["100"])
        let tables =
            "SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)' AND tablename NOT LIKE 'backstitch%'"
        #expect(try store.texts(tables) == ["Note"])
        try store.close()
    }
}
