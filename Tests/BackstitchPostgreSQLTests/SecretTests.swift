import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite("a password appears nowhere", .serialized)
struct SecretTests {
    /// The right password and a wrong one; what they have in common is looked for.
    private static let right = "canary-93 %&é", wrong = "canary-17 %&é"

    /// Everything that a value shows of itself.
    private func shown(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    private func shown(_ error: BackstitchError) -> String {
        shown(error as Any) + " \(error.localizedDescription)" + (error.cause.map { shown($0 as Any) } ?? "")
    }

    @Test("in descriptions, mirrors, errors, and what the server knows and writes down")
    func everywhere() async throws {
        let server = try await onThread {
            try PostgresServer { server in
                try server.configure(["log_connections = on", "log_statement = all"])
                try server.allow(["local all keyed scram-sha-256"])
            }
        }
        defer { server.stop() }
        // The test's own statements hold passwords, and are not to be looked through.
        try server.sql("ALTER ROLE backstitch SET log_statement = none")
        try server.sql("CREATE ROLE keyed LOGIN PASSWORD '\(Self.right)'")
        try server.sql("GRANT CREATE ON DATABASE postgres TO keyed")
        StoreRegistry.register(PostgreSQLStore.self)
        var texts: [String] = []
        for password in [Self.wrong, Self.right] {
            let url = server.url(database: "postgres", user: "keyed", password: password)
            let nobody = server.url(database: "postgres", user: "keyed")
            for description in [
                try TestDatabase.description(schema: "secrets", url: url),
                try TestDatabase.description(schema: "secrets", url: nobody, options: [.postgresPassword: password]),
            ] {
                texts.append(shown(description))
                do {
                    let container = try PersistentContainer(model: .journal, store: description)
                    #expect(password == Self.right)
                    texts.append(shown(container))
                    try server.sql("ALTER ROLE keyed PASSWORD 'other'")
                    try server.sql(
                        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE usename = 'keyed'")
                    let error = await #expect(throws: BackstitchError.self) {
                        try await container.perform { try $0.count(for: FetchRequest<Entry>()) }
                    }
                    #expect(error?.code == .authentication)
                    texts.append(shown(try #require(error)))
                    try server.sql("ALTER ROLE keyed PASSWORD '\(Self.right)'")
                    try container.close()
                } catch let error as BackstitchError {
                    #expect(password == Self.wrong && error.code == .authentication, "\(error)")
                    texts.append(shown(error))
                }
            }
        }
        #expect(texts.count == 10)
        let log = try String(contentsOf: server.folder.appending(path: "log"), encoding: .utf8)
        #expect(log.contains("password authentication failed") && log.contains("set_config"))
        // The connection of the test's own last statement may still end.
        let others = "SELECT * FROM pg_stat_activity WHERE usename IS DISTINCT FROM 'backstitch'"
        texts += [log, try server.sql(others)]
        for text in texts {
            let places = text.ranges(of: "canary").map { text[..<$0.lowerBound].suffix(300) + "…" }
            #expect(places.isEmpty, "\(places)")
        }
    }

    @Test("in errors about options and URLs that are wrong")
    func wrongOptions() throws {
        for (url, options) in [
            ("postgres://a:\(Self.encoded)@h/b?colour=red", [:]), ("http://a:\(Self.encoded)@h/b", [:]),
            ("postgres://a:\(Self.encoded)@h/b", [.postgresPassword: "other"]),
            ("postgres://a:other@h/b", [.postgresPassword: Self.wrong]),
            ("postgres://a@h/b?password=\(Self.encoded)", [:]),
            ("postgres://a:\(Self.encoded)@h/b", [.postgresPort: 70_000]),
            ("postgres://h/b", [.postgresPassword: [Self.wrong]]),
            ("postgres://a:\(Self.encoded)@localhost:1/b", [:]),
        ] as [(String, [StoreOption: any Sendable])] {
            let place = try #require(URL(string: url))
            let error = #expect(throws: BackstitchError.self) { try TestDatabase.store(url: place, options: options) }
            let text = shown(try #require(error))
            #expect(!text.contains("canary"), "\(text)")
        }
    }

    private static let encoded = wrong.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""

    @Test("in what is logged while a server cannot be reached")
    func logged() async throws {
        let folder = "/tmp/backstitch-nowhere-\(UUID().uuidString.prefix(8))"
        let options = try PostgreSQLOptions(
            url: URL(string: "postgres://a:\(Self.encoded)@/b?host=\(folder)"),
            options: StoreOptions(
                [.postgresConnectTimeout: 0.1], specifications: PostgreSQLStore.optionSpecifications(for: [:])))
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test") { _ in LineLog(lines: lines) }
        try await onThread {
            let pool = PostgreSQLPool(options, name: options.address.summary(schema: "s"), logger: logger)
            #expect(throws: PostgreSQLFailure.self) { try pool.withConnection { _ in } }
            #expect(!shown(pool).contains("canary") && !shown(options).contains("canary"))
        }
        let logged = lines.withLock { $0 }
        #expect(logged.contains { $0.contains(folder) })
        #expect(!logged.contains { $0.contains("canary") }, "\(logged)")
    }
}
