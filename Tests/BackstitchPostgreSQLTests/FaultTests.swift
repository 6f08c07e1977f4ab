import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("faults of PostgreSQL", .serialized)
struct FaultTests {
    @Test("connections that the server ended are replaced, and nobody notices")
    func terminated() async throws {
        let server = try PostgresServer.shared.get()
        let name = "app-\(UUID().uuidString.prefix(8))"
        let container = try TestDatabase.container(options: [.postgresApplicationName: name])
        for round in 0..<5 {
            try await container.perform { context in
                let entry = Entry(context: context)
                entry.count = round
                try context.save()
            }
            let ended = try server.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(name)'")
            #expect(Int(ended.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 0)
            #expect(try await container.perform { try $0.count(for: FetchRequest<Entry>()) } == round + 1)
        }
        try container.close()
    }

    @Test("a journal, whose transactions are not run again, is not given a connection that the server has ended")
    func terminatedBeforeJournal() async throws {
        let server = try PostgresServer.shared.get()
        let name = "app-\(UUID().uuidString.prefix(8))"
        try await onThread {
            let store = try TestDatabase.store(
                options: [.postgresApplicationName: name, .postgresPoolSize: 1, .postgresPollInterval: 0])
            func endConnections() throws {
                // The server's processes are gone when this returns, and so nothing more comes from them.
                let ended = try server.sql(
                    "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity "
                        + "WHERE application_name = '\(name)'")
                #expect(Int(ended.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 0)
            }
            for round in 1...5 {
                let value = Data([UInt8(round)])
                try store.writeJournal(author: "test") { try $0.setMetadata(value, for: "round") }
                try endConnections()
                #expect(try store.readJournal { try $0.metadata(for: "round") } == value)
                try endConnections()
            }
            try store.close()
        }
    }

    @Test("a save whose connection is ended in its midst is stored once")
    func endedInside() async throws {
        let store = try TestDatabase.store()
        // The first two writes of a row end their own connection.
        try store.execute("CREATE SEQUENCE ends")
        try store.execute(
            """
            CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('ends') <= 2 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); END IF;
            RETURN NEW; END $$
            """)
        try store.execute("CREATE TRIGGER ending BEFORE INSERT ON \"Tag\" FOR EACH ROW EXECUTE FUNCTION end_it()")
        try await onThread {
            _ = try store.save(store.tags(["a"]))
            let tag = try store.configuration.model.requireEntity(named: "Tag")
            #expect(try store.count(StoreFetchRequest(entity: tag)) == 1)
            #expect(try store.texts("SELECT number::text FROM backstitch_transaction").count == 1)
            try store.close()
        }
    }

    @Test("a save whose answer to COMMIT is lost is found in history, and not made twice")
    func lostCommit() async throws {
        let server = try PostgresServer.shared.get()
        let proxy = try LossyProxy(to: server)
        defer { proxy.stop() }
        try await onThread {
            let url = URL(string: "postgres://backstitch@/postgres?host=\(proxy.folder.path)")
            let store = try TestDatabase.store(url: url, options: [.postgresPoolSize: 1])
            let tag = try store.configuration.model.requireEntity(named: "Tag")
            proxy.loseNextCommit()
            let result = try store.save(store.tags(["a", "b"]))
            #expect(proxy.lost.withLock { $0 } == 1)
            #expect(result.transactionNumber == 1)
            #expect(try store.count(StoreFetchRequest(entity: tag)) == 2)
            #expect(try store.texts("SELECT number::text FROM backstitch_transaction") == ["1"])
            try store.close()
        }
    }

    @Test(
        "a batch request whose answer to COMMIT is lost is found in history, and not made twice",
        arguments: [true, false])
    func lostBatchCommit(isRepeatable: Bool) async throws {
        let server = try PostgresServer.shared.get()
        let proxy = try LossyProxy(to: server)
        defer { proxy.stop() }
        try await onThread {
            let url = URL(string: "postgres://backstitch@/postgres?host=\(proxy.folder.path)")
            let store = try TestDatabase.store(url: url, options: [.postgresPoolSize: 1])
            let tag = try store.configuration.model.requireEntity(named: "Tag")
            let rows = try store.tags(["a", "b"]).inserts
            proxy.loseNextCommit()
            let operation = StoreBatchRequest.Operation.insert(tag) {
                var rest = rows[...]
                return { _ in rest.popFirst().map { StoreBatchRequest.Part(rows: $0) } }
            }
            let changes = try store.execute(StoreBatchRequest(operation, isRepeatable: isRepeatable))
            #expect(proxy.lost.withLock { $0 } == 1)
            #expect(changes.inserted.count == 2)
            #expect(try store.count(StoreFetchRequest(entity: tag)) == 2)
            #expect(try store.texts("SELECT number::text FROM backstitch_transaction") == ["1"])
            try store.close()
        }
    }

    @Test("a server that crashes under saves keeps every save that was reported, whole, and is found again")
    func crash() async throws {
        let server = try await onThread { try PostgresServer() }
        defer { server.stop() }
        let store = try await onThread {
            try TestDatabase.store(url: server.url, options: [.postgresConnectTimeout: 20])
        }
        let saved = Locked<[String]>([]), failed = Locked(0), ended = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Also after an error, or the group would wait for ever.
            defer { ended.withLock { $0 = true } }
            for writer in 0..<3 {
                group.addTask {
                    try await onThread {
                        var number = 0
                        while !ended.withLock({ $0 }) {
                            number += 1
                            let name = "\(writer)-\(number)"
                            // Twenty rows a save, which are there together or not at all.
                            do {
                                _ = try store.save(store.tags(Array(repeating: name, count: 20)))
                                saved.withLock { $0.append(name) }
                            } catch {
                                failed.withLock { $0 += 1 }
                            }
                        }
                    }
                }
            }
            for crashes in 0...2 {
                let before = saved.withLock { $0.count }
                #expect(try await eventually { saved.withLock { $0.count } >= before + 8 })
                guard crashes < 2 else { break }
                try await onThread {
                    server.crash()
                    try server.start()
                }
            }
        }
        try await onThread {
            let stored = try store.texts("SELECT name FROM \"Tag\" GROUP BY name HAVING count(*) = 20")
            let all = try store.texts("SELECT DISTINCT name FROM \"Tag\"")
            let names = saved.withLock { $0 }
            #expect(stored.count == all.count, "a save is there in part, or twice")
            #expect(Set(names).isSubset(of: stored))
            #expect(names.count > 20)
            // Only a save that ended in an error can be stored without a report.
            #expect(stored.count - names.count <= failed.withLock { $0 })
            let numbers = try store.texts("SELECT t.number::text FROM backstitch_transaction AS t ORDER BY t.number")
                .compactMap { Int($0) }
            #expect(numbers == Array(1...stored.count))
            try store.close()
        }
    }

    @Test("a server process that says nothing is given up, and another answers")
    func silence() async throws {
        let server = try PostgresServer.shared.get()
        let name = "quiet-\(UUID().uuidString.prefix(8))"
        try await onThread {
            let store = try TestDatabase.store(
                options: [
                    .postgresApplicationName: name, .postgresStatementTimeout: 2, .postgresPoolSize: 1,
                    .postgresPollInterval: 0,
                ])
            let tag = try store.configuration.model.requireEntity(named: "Tag")
            #expect(try store.count(StoreFetchRequest(entity: tag)) == 0)
            let text = try server.sql("SELECT pid FROM pg_stat_activity WHERE application_name = '\(name)'")
            let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            kill(process, SIGSTOP)
            let start = ContinuousClock.now
            let error = #expect(throws: BackstitchError.self) { try store.count(StoreFetchRequest(entity: tag)) }
            let seconds = start.duration(to: .now)
            #expect(error?.code == .storeFailure)
            #expect(error?.message.contains("did not answer in time") == true)
            // Two seconds more than the server has to stop it by itself; without the option it would be 62.
            #expect(seconds > .seconds(3.5) && seconds < .seconds(30), "\(seconds)")
            #expect(try store.count(StoreFetchRequest(entity: tag)) == 0)
            kill(process, SIGCONT)
            try store.close()
        }
    }

    @Test("a request that finds no free connection in time says so, and later ones succeed")
    func exhausted() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresPoolSize: 1, .postgresPoolTimeout: 0.3])
            let tag = try store.configuration.model.requireEntity(named: "Tag")
            try store.readJournal { _ in
                let error = #expect(throws: BackstitchError.self) { try store.count(StoreFetchRequest(entity: tag)) }
                #expect(error?.code == .storeFailure)
                #expect(error?.message.contains("postgresPoolSize") == true)
            }
            #expect(try store.count(StoreFetchRequest(entity: tag)) == 0)
            try store.close()
        }
    }

    @Test("a slow statement is stopped by the server, and the connection serves on")
    func slow() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresStatementTimeout: 0.2])
            let error = #expect(throws: BackstitchError.self) { try store.execute("SELECT pg_sleep(20)") }
            #expect(error?.code == .storeFailure)
            #expect(error?.message.contains("postgresStatementTimeout") == true)
            #expect(store.database.pool.counts == (1, 1))
            try store.close()
        }
    }

    @Test(
        "whatever answers instead of PostgreSQL is an error",
        arguments: ["", "HTTP/1.1 400 Bad Request\r\n\r\n", "R\0\0\0\u{1}", "E"])
    func strangers(_ reply: String) async throws {
        let folder = URL(fileURLWithPath: "/tmp/backstitch-stranger-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stranger = try Stranger(folder, reply)
        defer { stranger.stop() }
        let url = URL(string: "postgres://a@/b?host=\(folder.path)")
        try await onThread {
            let error = #expect(throws: BackstitchError.self) {
                try TestDatabase.store(url: url, options: [.postgresConnectTimeout: 1])
            }
            #expect(error?.code == .storeNotFound || error?.code == .storeFailure)
        }
    }
}

extension PostgreSQLStore {
    /// A save of new tags.
    func tags(_ names: [String]) throws -> SaveChangesRequest {
        let entity = try configuration.model.requireEntity(named: "Tag")
        let slot = try entity.requireProperty(named: "name").slot
        var builder = RowBatchBuilder(entity: entity)
        for name in names {
            builder.beginRow(key: configuration.generator.next(), version: 1)
            for column in entity.columns { builder.append(column.slot == slot ? .string(name) : .null) }
        }
        var request = SaveChangesRequest()
        request.inserts = [builder.finish()]
        return request
    }
}
