import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite("several stores on one PostgreSQL database", .serialized)
struct SeveralProcessesTests {
    @Test("eight that raise the same counters lose no increment, and history is numbered in the order of commits")
    func increments() async throws {
        let schema = TestDatabase.newSchema()
        let first = try TestDatabase.container(schema: schema)
        let ids = try await first.perform { context in
            let entries = (0..<20).map { _ in Entry(context: context) }
            try context.save()
            return entries.map(\.objectID)
        }
        let seconds = Double(Effort.size("SECONDS", usual: 3, whole: 10))
        let total = Locked(0), conflicts = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    // No feed, so nothing but the versions keeps a stale row from being written.
                    let container = try TestDatabase.container(
                        schema: schema, options: [.postgresPollInterval: 0, .postgresPoolSize: 2])
                    var random = SeededGenerator(seed: UInt64(number))
                    let end = ContinuousClock.now + .seconds(seconds)
                    while ContinuousClock.now < end {
                        // Several rows a save, in any order: deadlocks are part of the game.
                        let chosen = Array(ids.shuffled(using: &random).prefix(3))
                        let isSaved = try await container.perform { context in
                            for id in chosen { (try context.existingObject(with: id) as? Entry)?.count += 1 }
                            do { try context.save() } catch let error as BackstitchError
                                where error.code == .saveConflict
                            {
                                return false
                            }
                            return true
                        }
                        if isSaved { total.withLock { $0 += 3 } } else { conflicts.withLock { $0 += 1 } }
                    }
                    try container.close()
                }
            }
            try await group.waitForAll()
        }
        try first.close()
        let store = try TestDatabase.store(schema: schema)
        let sum = try store.texts("SELECT sum(count)::text FROM \"Entry\"").first.flatMap { Int($0) }
        #expect(sum == total.withLock { $0 })
        #expect(total.withLock { $0 } > 100)
        print("increments: \(total.withLock { $0 }), conflicts: \(conflicts.withLock { $0 })")
        // In the order of commits the transactions' own ids need not rise, but the numbers have no gap and none is
        // twice.
        let numbers = try store.texts("SELECT t.number::text FROM backstitch_transaction AS t ORDER BY t.number")
            .compactMap { Int($0) }
        #expect(numbers == Array(1...(sum ?? 0) / 3 + 1))
        try store.close()
    }

    @Test("a store is told what others did, at once, and not what it did itself")
    func notifications() async throws {
        let schema = TestDatabase.newSchema()
        let heard = Locked(StoreChanges())
        let listener = try TestDatabase.store(schema: schema, options: [.postgresPollInterval: 60]) { changes in
            heard.withLock { $0.merge(changes) }
        }
        let writer = try TestDatabase.store(schema: schema, options: [.postgresPollInterval: 60])
        try await onThread {
            // The feed may not have reached its LISTEN yet. Earlier changes are read once it has.
            _ = try listener.save(listener.tags(["own"]))
            _ = try writer.save(writer.tags(["other", "another"]))
            _ = try listener.save(listener.tags(["own again"]))
            #expect(waitUntil { heard.withLock { $0.inserted.count } >= 2 })
            let tag = try writer.configuration.model.requireEntity(named: "Tag")
            let rows = try writer.fetch(StoreFetchRequest(entity: tag))
            var request = SaveChangesRequest()
            request.deletes = [rows]
            _ = try writer.save(request)
            #expect(waitUntil { heard.withLock { $0.deleted.count } >= 4 })
            let changes = heard.withLock { $0 }
            // The other's two came and went again, and the listener's own two were deleted by the other.
            #expect(changes.deleted.count == 4 && changes.inserted.isEmpty, "\(changes)")
        }
        try listener.close()
        try writer.close()
    }

    @Test("without notifications changes are found by looking, also after the feed's connection was ended")
    func polling() async throws {
        let server = try PostgresServer.shared.get()
        let schema = TestDatabase.newSchema(), name = "feed-\(UUID().uuidString.prefix(8))"
        let heard = Locked(StoreChanges())
        let listener = try TestDatabase.store(
            schema: schema, options: [.postgresPollInterval: 0.1, .postgresApplicationName: name]
        ) { changes in heard.withLock { $0.merge(changes) } }
        // A store without a feed notifies no other process.
        let writer = try TestDatabase.store(schema: schema, options: [.postgresPollInterval: 0])
        try await onThread {
            _ = try writer.save(writer.tags(["a"]))
            #expect(waitUntil { heard.withLock { $0.inserted.count } == 1 })
            _ = try server.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(name)'")
            _ = try writer.save(writer.tags(["b"]))
            #expect(waitUntil { heard.withLock { $0.inserted.count } == 2 })
        }
        try listener.close()
        try writer.close()
    }

    @Test("a context that begins after another process has saved never sees what was before, whatever has been read")
    func fresh() async throws {
        let schema = TestDatabase.newSchema()
        // The second store hears of no change.
        let one = try TestDatabase.container(schema: schema)
        let other = try TestDatabase.container(schema: schema, options: [.postgresPollInterval: 0])
        let id = try await one.perform { context in
            let entry = Entry(context: context)
            entry.location = Location(context: context)
            try context.save()
            return entry.objectID
        }
        for round in 1...20 {
            try await one.perform { context in
                let entry = try context.existingObject(with: id) as? Entry
                entry?.count = round
                entry?.location?.name = "\(round)"
                try context.save()
            }
            let seen = try await other.perform { context in
                let entry = try context.existingObject(with: id) as? Entry
                return ["\(entry?.count ?? 0)", entry?.location?.name]
            }
            #expect(seen == ["\(round)", "\(round)"])
            #expect(
                try await other.perform { context in
                    let location = try context.fetch(FetchRequest<Location>()).first
                    return location?.entries.map(\.count)
                } == [round])
        }
        try one.close()
        try other.close()
    }

    @Test("an object that a save links is not deleted before that save is done, so that no link leads nowhere")
    func linkedEnd() async throws {
        let schema = TestDatabase.newSchema()
        let linking = try TestDatabase.container(schema: schema), deleting = try TestDatabase.container(schema: schema)
        let (entry, tag) = try await linking.perform { context in
            let entry = Entry(context: context), tag = BackstitchTestKit.Tag(context: context)
            try context.save()
            return (entry.objectID, tag.objectID)
        }
        let store = try TestDatabase.store(schema: schema)
        let entity = try store.configuration.model.requireEntity(named: "Entry")
        let tags = try entity.requireProperty(named: "tags")
        // The link is written when the gate opens, a while after its ends were looked for.
        try store.execute("CREATE SEQUENCE gate")
        try store.execute(
            """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN WHILE NOT (SELECT is_called FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END $$
            """)
        try store.execute(
            """
            CREATE TRIGGER wait BEFORE INSERT ON \(SQLNames.quoted(SQLNames.linkTable(owner: entity, property: tags)))
            FOR EACH ROW EXECUTE FUNCTION wait()
            """)
        async let linked: Void = linking.perform { context in
            let tag = try #require(try context.existingObject(with: tag) as? BackstitchTestKit.Tag)
            (try context.existingObject(with: entry) as? Entry)?.tags = [tag]
            try context.save()
        }
        let sleepers =
            "pg_stat_activity AS linking WHERE linking.wait_event = 'PgSleep' AND linking.query LIKE '%tags%'"
        let isLinking = try await onThread {
            waitUntil { (try? store.texts("SELECT linking.pid::text FROM \(sleepers)").isEmpty) == false }
        }
        #expect(isLinking)
        async let deleted: Void = deleting.perform { context in
            context.delete(try context.existingObject(with: tag))
            try context.save()
        }
        let isWaiting = try await onThread {
            let waiting = "SELECT a.pid::text FROM pg_stat_activity AS a, \(sleepers)"
            return waitUntil {
                (try? store.texts("\(waiting) AND linking.pid = ANY(pg_blocking_pids(a.pid))").isEmpty) == false
            }
        }
        #expect(isWaiting)
        _ = try store.texts("SELECT nextval('gate')::text")
        try await deleted
        try await linked
        #expect(try store.rows(of: store.configuration.model.requireEntity(named: "Tag"), keys: [tag.key]).count == 0)
        #expect(try store.readJournal { try $0.links(of: tags, in: entity, sources: [entry.key]) }.isEmpty)
        for container in [linking, deleting] { try container.close() }
        try store.close()
    }
}

/// Looks until it is so, for ten seconds at most.
private func waitUntil(_ condition: () -> Bool) -> Bool {
    for _ in 0..<1000 {
        if condition() { return true }
        Thread.sleep(forTimeInterval: 0.01)
    }
    return false
}
