import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite("opening a PostgreSQL store")
struct OpeningTests {
    @Test("a newer format and another program's tables are refused")
    func strangers() throws {
        let schema = TestDatabase.newSchema()
        let store = try TestDatabase.store(schema: schema)
        try store.execute("UPDATE backstitch_store SET value = '99' WHERE name = 'format'")
        #expect(throws: BackstitchError.self) { try TestDatabase.store(schema: schema) }
        let foreign = TestDatabase.newSchema()
        try store.execute("CREATE SCHEMA \"\(foreign)\"")
        try store.execute("CREATE TABLE \"\(foreign)\".accounts (id integer)")
        let error = #expect(throws: BackstitchError.self) { try TestDatabase.store(schema: foreign) }
        #expect(error?.code == .notADatabase)
        try store.close()
    }

    @Test("schemas may have any name", arguments: ["With Capitals", "quote\"d", "naïve", "semi;colon", "drop table"])
    func names(_ name: String) async throws {
        let schema = name + TestDatabase.newSchema().suffix(12)
        let container = try TestDatabase.container(schema: schema)
        try await container.perform { context in
            _ = Entry(context: context)
            try context.save()
        }
        #expect(try await container.perform { try $0.count(for: FetchRequest<Entry>()) } == 1)
        try container.close()
    }

    @Test("a store that cannot be opened for its folder of assets leaves no connection behind")
    func faultyFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // A file occupies the place of the folder for unfinished content.
        try Data().write(to: folder.appending(path: "temporary"))
        let server = try PostgresServer.shared.get(), name = "app-\(UUID().uuidString.prefix(8))"
        try await onThread {
            let error = #expect(throws: BackstitchError.self) {
                try TestDatabase.store(
                    options: [.postgresAssetDirectory: folder.path, .postgresApplicationName: name])
            }
            #expect(error?.code == .storeFailure)
        }
        let isQuiet = try await eventually(within: .seconds(20)) {
            try await onThread {
                try server.sql("SELECT 1 FROM pg_stat_activity WHERE application_name = '\(name)'")
                    .trimmingCharacters(in: .whitespacesAndNewlines).isEmpty
            }
        }
        #expect(isQuiet)
    }

    @Test("waits without end may be asked for")
    func endlessWaits() async throws {
        var options: [StoreOption: any Sendable] = [:]
        for wait in [
            StoreOption.postgresConnectTimeout, .postgresStatementTimeout, .postgresPoolTimeout, .postgresPollInterval,
        ] {
            options[wait] = Double.greatestFiniteMagnitude
        }
        try await onThread { [options] in
            let store = try TestDatabase.store(options: options)
            #expect(try store.texts("SELECT 'a'") == ["a"])
            try store.close()
        }
    }

    @Test("what cannot be is an error that says what to do")
    func addresses() throws {
        for (url, code) in [
            ("http://localhost/x", BackstitchError.Code.invalidRequest),
            ("postgres:///x?host=/nowhere", .storeNotFound),
            ("postgres://localhost:1/x", .storeNotFound), ("postgres:///x?host=/nowhere&colour=red", .invalidOption),
        ] {
            let error = #expect(throws: BackstitchError.self) { try TestDatabase.store(url: URL(string: url)) }
            #expect(error?.code == code, "\(url): \(String(describing: error))")
        }
        #expect(throws: BackstitchError.self) {
            try TestDatabase.store(url: URL(string: "postgres://a/b"), options: [.postgresHost: "c"])
        }
        for schema in ["", "pg_mine", String(repeating: "x", count: 64)] {
            let error = #expect(throws: BackstitchError.self) { try TestDatabase.store(schema: schema) }
            #expect(error?.code == .invalidOption)
        }
    }

    @Test("a password is in no message, description or mirror")
    func secrets() throws {
        let server = try PostgresServer.shared.get()
        let password = "hunter2 % & é"
        let url = server.url(database: "postgres", user: server.guardedUser, password: password)
        var texts: [String] = []
        let error = #expect(throws: BackstitchError.self) { try TestDatabase.store(url: url) }
        #expect(error?.code == .authentication)
        texts.append("\(String(describing: error)) \(String(reflecting: error))")
        texts.append(try dumped(PostgreSQLAddress(configuration(url))))
        var secrets = ConnectionSecrets()
        secrets["password"] = password
        texts.append("\(secrets) \(String(reflecting: secrets))")
        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
        // The right password is accepted, also for a user without special rights.
        try TestDatabase.store(url: server.url(database: "postgres", user: server.guardedUser, password: "right"))
            .close()
    }

    @Test("behind a pooler of transactions each transaction makes its own settings")
    func transactionPooling() async throws {
        try await onThread {
            let store = try TestDatabase.store(
                options: [.postgresTransactionPooling: true, .postgresPoolSize: 1, .postgresPollInterval: 0])
            let tag = try store.configuration.model.requireEntity(named: "Tag")
            for round in 1...3 {
                // As if the server's connection had served another client in between.
                try store.database.pool.withConnection { connection in
                    let reset = SQLStatement(.postgreSQL, "SELECT set_config('search_path', 'pg_catalog', false)")
                    try connection.begin(.writing)
                    _ = try connection.query(reset)
                    try connection.commit()
                }
                _ = try store.save(store.tags(["a"]))
                #expect(try store.count(StoreFetchRequest(entity: tag)) == round)
            }
            try store.close()
        }
    }

    @Test("a missing database is told from a missing server")
    func missingDatabase() throws {
        let server = try PostgresServer.shared.get()
        let error = #expect(throws: BackstitchError.self) {
            try TestDatabase.store(url: server.url(database: "nowhere"))
        }
        #expect(error?.code == .storeNotFound)
        #expect(error?.message.contains("no such database") == true)
    }

    private func configuration(_ url: URL) throws -> StoreConfiguration {
        StoreConfiguration(model: try ResolvedModel(.journal), url: url, options: StoreOptions())
    }

    private func dumped(_ value: Any) -> String {
        var text = "\(value)"
        dump(value, to: &text)
        return text
    }
}
