import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite(
    "behind PgBouncer in transaction mode", .serialized,
    .enabled(if: PgBouncer.isInstalled, "pgbouncer is not installed"))
struct PoolerTests {
    /// The options that a store needs there. PgBouncer knows prepared statements from 1.21 on; before it none may be
    /// used.
    private static let options: [StoreOption: any Sendable] = [
        .postgresTransactionPooling: true, .postgresPreparedStatements: PgBouncer.keepsPreparedStatements,
        .postgresPollInterval: 0.1,
    ]

    private static let bouncer = Result { try PgBouncer(before: PostgresServer.shared.get(), connections: 6) }

    @Test("containers that share few connections of the server lose nothing, and are told of each other's saves")
    func sharing() async throws {
        let schema = TestDatabase.newSchema()
        let bouncer = try PgBouncer(before: PostgresServer.shared.get(), connections: 3)
        defer { bouncer.stop() }
        let containers = try (0..<4).map { _ in
            try TestDatabase.container(schema: schema, url: bouncer.url, options: Self.options)
        }
        let id = try await containers[0].perform { context in
            let entry = Entry(context: context)
            try context.save()
            return entry.objectID
        }
        let raised = try await withThrowingTaskGroup(of: Int.self) { group in
            for container in containers {
                group.addTask {
                    var raised = 0
                    while raised < 25 {
                        let isSaved = try await container.perform { context in
                            let tag = BackstitchTestKit.Tag(context: context)
                            tag.name = "tag"
                            guard let entry = try context.existingObject(with: id) as? Entry else { return false }
                            entry.count += 1
                            entry.tags.insert(tag)
                            do { try context.save() } catch let error as BackstitchError
                                where error.code == .saveConflict
                            {
                                return false
                            }
                            return true
                        }
                        if isSaved { raised += 1 }
                    }
                    return raised
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(raised == 100)
        for container in containers {
            // LISTEN does not work through a pooler: looking from time to time carries what others saved.
            var count = 0
            for _ in 0..<600 where count != 100 {
                count = try await container.perform { try ($0.existingObject(with: id) as? Entry)?.count ?? 0 }
                if count != 100 { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(count == 100)
            let tags = try await container.perform {
                try $0.count(for: FetchRequest<BackstitchTestKit.Tag>(where: "ANY entries == %@", id))
            }
            #expect(tags == 100)
            try container.close()
        }
    }

    @Test("changes of others are found without LISTEN")
    func polling() async throws {
        let schema = TestDatabase.newSchema(), bouncer = try Self.bouncer.get()
        let heard = Locked(StoreChanges())
        let listener = try TestDatabase.store(schema: schema, url: bouncer.url, options: Self.options) { changes in
            heard.withLock { $0.merge(changes) }
        }
        let writer = try TestDatabase.store(schema: schema, url: bouncer.url, options: Self.options)
        try await onThread {
            _ = try writer.save(writer.tags(["a", "b"]))
            let end = ContinuousClock.now + .seconds(30)
            while heard.withLock({ $0.inserted.count }) < 2, ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.02)
            }
            #expect(heard.withLock { $0.inserted.count } == 2)
            try listener.close()
            try writer.close()
        }
    }

    /// Every eighth case of the kit, of all areas: each is one store among many on the same few connections.
    private static let cases = StoreConformance.casesOfPostgreSQL.enumerated().filter { $0.offset % 8 == 3 }.map(
        \.element)

    @Test("conforms", arguments: cases)
    func conforms(_ conformanceCase: ConformanceCase) async throws {
        StoreRegistry.register(PostgreSQLStore.self)
        let bouncer = try Self.bouncer.get()
        let store = StoreUnderTest("PostgreSQL behind PgBouncer") { folder in
            let schema = folder.lastPathComponent.lowercased()
            return (try? TestDatabase.description(schema: schema, url: bouncer.url, options: Self.options))
                ?? PersistentStoreDescription(type: .postgreSQL)
        }
        try await conformanceCase.run(on: store)
    }

    @Test(
        "prepared statements that the pooler does not know are an error that says what to do",
        .enabled(if: !PgBouncer.keepsPreparedStatements, "this pgbouncer knows prepared statements"))
    func oldPooler() async throws {
        let server = try PostgresServer.shared.get()
        let bouncer = try PgBouncer(before: server, connections: 2)
        defer { bouncer.stop() }
        try await onThread {
            let error = #expect(throws: BackstitchError.self) {
                // Both call their statements alike, and have the same connections of the server's.
                for _ in 0..<2 {
                    let store = try TestDatabase.store(url: bouncer.url, options: [.postgresTransactionPooling: true])
                    _ = try store.save(store.tags(["a"]))
                }
            }
            #expect(error?.code == .storeFailure, "\(String(describing: error))")
            #expect(error?.message.contains("postgresPreparedStatements") == true, "\(String(describing: error))")
        }
    }
}
