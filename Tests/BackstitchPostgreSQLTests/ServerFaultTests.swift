import Backstitch
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

/// Faults of a whole server, each test with one of its own. The container is opened once, and works again when the
/// fault is over.
@Suite("faults of a PostgreSQL server", .serialized)
struct ServerFaultTests {
    @Test(
        "a save for which the disk has no room is undone whole, and later ones succeed",
        .enabled(if: PostgresServer.canMount, "only root can make a small disk"))
    func diskFull() async throws {
        let server = try await onThread { try PostgresServer(diskMegabytes: 32) }
        defer { server.stop() }
        try await onThread {
            try server.sql("CREATE TABLESPACE small LOCATION '\(server.disk.path)'")
            try server.sql("CREATE DATABASE small TABLESPACE small")
            // Once it is gone there is room again.
            try server.sql(
                "CREATE TABLE ballast TABLESPACE small AS SELECT repeat('x', 1000) FROM generate_series(1, 8000)")
        }
        let container = try TestDatabase.container(url: server.url(database: "small"))
        // Nothing in it comes twice, so it cannot be compressed much.
        var random = SeededGenerator(seed: 1)
        let text = String(decoding: (0..<40_000).map { _ in UInt8.random(in: 33...126, using: &random) }, as: UTF8.self)
        /// Saves ten entries of 40 kB.
        @Sendable func save(_ group: Int) async throws {
            try await container.perform { context in
                for _ in 0..<10 {
                    let entry = Entry(context: context)
                    entry.count = group
                    entry.text = text
                }
                try context.save()
            }
        }
        var saved = 0
        let error = await #expect(throws: BackstitchError.self) {
            for group in 0..<200 {
                try await save(group)
                saved += 1
            }
        }
        #expect(error?.code == .storeFailure, "\(String(describing: error))")
        #expect(error?.message.contains("disk") == true && error?.message.contains("full") == true)
        #expect(saved > 3)
        let count = { try await container.perform { try $0.count(for: FetchRequest<Entry>()) } }
        #expect(try await count() == saved * 10)
        try await onThread { _ = try server.sql("DROP TABLE ballast") }
        try await save(1000)
        #expect(try await count() == saved * 10 + 10)
        let groups = try await container.perform { context in
            Dictionary(grouping: try context.fetch(FetchRequest<Entry>()), by: \.count).mapValues(\.count)
        }
        #expect(groups == Dictionary(uniqueKeysWithValues: (Array(0..<saved) + [1000]).map { ($0, 10) }))
        try container.close()
    }

    @Test("a server that stands still for 5 s is waited for, or given up in time as the options say")
    func standstill() async throws {
        let server = try await onThread { try PostgresServer() }
        defer { server.stop() }
        let schema = TestDatabase.newSchema()
        let patient = try TestDatabase.container(schema: schema, url: server.url)
        let hasty = try TestDatabase.container(
            schema: schema, url: server.url,
            options: [.postgresStatementTimeout: 2, .postgresConnectTimeout: 2, .postgresPollInterval: 0])
        @Sendable func save(_ container: PersistentContainer, _ text: String) async throws {
            try await container.perform { context in
                Entry(context: context).text = text
                try context.save()
            }
        }
        try await save(patient, "before")
        try await save(hasty, "before")
        let processes = try server.processes()
        #expect(processes.count > 3)
        for process in processes { kill(process, SIGSTOP) }
        let clock = ContinuousClock(), start = clock.now, time = Locked(Duration.zero)
        async let waiting: Void = save(patient, "patient")
        let error = await #expect(throws: BackstitchError.self) {
            // Taken by the thread that saves: beside other tests a task waits long for its turn.
            try await hasty.perform { context in
                let start = clock.now
                defer { time.withLock { $0 = start.duration(to: clock.now) } }
                Entry(context: context).text = "hasty"
                try context.save()
            }
        }
        #expect(error?.code == .storeFailure, "\(String(describing: error))")
        #expect(error?.message.contains("did not answer in time") == true, "\(String(describing: error))")
        // It is given up after 4 s, while the server stands still, and without the option after 62 s.
        #expect(time.withLock { $0 } < .seconds(30))
        // Nor can another connection be made.
        let other = await #expect(throws: BackstitchError.self) { try await save(hasty, "hasty") }
        #expect(other?.code == .storeNotFound, "\(String(describing: other))")
        try await Task.sleep(until: start + .seconds(5), clock: clock)
        for process in processes.reversed() { kill(process, SIGCONT) }
        try await waiting
        #expect(start.duration(to: clock.now) > .seconds(5))
        // A newly started server may need longer for a connection than the option allows.
        #expect(
            try await eventually {
                (try? await hasty.perform { try $0.count(for: FetchRequest<Entry>()) }) != nil
            })
        try await save(hasty, "after")
        let texts = try await hasty.perform {
            try $0.fetch(FetchRequest<Entry>(sortedBy: [.ascending("text")])).map(\.text)
        }
        #expect(texts == ["after", "before", "before", "patient"])
        try patient.close()
        try hasty.close()
    }

    @Test("a password that is right no more, and a database that is gone, are told apart; both are found again")
    func authenticationAndName() async throws {
        let server = try await onThread {
            try PostgresServer { try $0.allow(["local all keyed scram-sha-256"]) }
        }
        defer { server.stop() }
        try await onThread {
            try server.sql("CREATE ROLE keyed LOGIN PASSWORD 'right'")
            try server.sql("CREATE DATABASE shelf OWNER keyed")
        }
        let container = try TestDatabase.container(
            url: server.url(database: "shelf", user: "keyed", password: "right"), options: [.postgresPollInterval: 0])
        @Sendable func count() async throws -> Int {
            try await container.perform { context in
                _ = Entry(context: context)
                try context.save()
                return try context.count(for: FetchRequest<Entry>())
            }
        }
        func endConnections() throws {
            try server.sql(
                "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE usename = 'keyed'")
        }
        #expect(try await count() == 1)
        try server.sql("ALTER ROLE keyed PASSWORD 'other'")
        // Connections that are open stay open.
        #expect(try await count() == 2)
        try endConnections()
        var error = await #expect(throws: BackstitchError.self) { try await count() }
        #expect(error?.code == .authentication, "\(String(describing: error))")
        try server.sql("ALTER ROLE keyed PASSWORD 'right'")
        #expect(try await count() == 3)
        try endConnections()
        try server.sql("ALTER DATABASE shelf RENAME TO cellar")
        error = await #expect(throws: BackstitchError.self) { try await count() }
        #expect(error?.code == .storeNotFound, "\(String(describing: error))")
        #expect(error?.message.contains("no such database") == true)
        try server.sql("ALTER DATABASE cellar RENAME TO shelf")
        #expect(try await count() == 4)
        try container.close()
    }

    @Test("requests that come while the server is away wait for it as long as the options say")
    func absence() async throws {
        let server = try await onThread { try PostgresServer() }
        defer { server.stop() }
        let container = try TestDatabase.container(url: server.url, options: [.postgresConnectTimeout: 30])
        @Sendable func count() async throws -> Int {
            try await container.perform { try $0.count(for: FetchRequest<Entry>()) }
        }
        #expect(try await count() == 0)
        try await onThread { server.crash() }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 { group.addTask { try await count() } }
            try await onThread {
                Thread.sleep(forTimeInterval: 1.5)
                try server.start()
            }
            #expect(try await group.reduce(into: []) { $0.append($1) } == [0, 0, 0, 0, 0, 0])
        }
        #expect(start.duration(to: .now) > .seconds(1.4))
        try container.close()
    }
}
