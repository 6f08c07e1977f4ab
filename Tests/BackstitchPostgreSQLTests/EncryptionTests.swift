import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite("encrypted connections to PostgreSQL", .serialized)
struct EncryptionTests {
    /// A server for `localhost`, and an authority that it can be known by.
    private func withServer(_ body: @escaping @Sendable (PostgresServer, Certificates) throws -> Void) async throws {
        try await onThread {
            let port = try PostgresServer.freePort()
            let server = try PostgresServer(port: port) { server in
                let certificates = try Certificates(of: server, host: "localhost")
                try server.configure([
                    "listen_addresses = '127.0.0.1'", "ssl = on", "ssl_cert_file = '\(certificates.server.path)'",
                    "ssl_key_file = '\(certificates.key.path)'",
                ])
                // Clients that do not encrypt are not let in.
                try server.allow(["hostssl all all 127.0.0.1/32 trust"])
            }
            defer { server.stop() }
            try body(server, Certificates(in: server.folder))
        }
    }

    private func open(
        _ server: PostgresServer, _ mode: String, host: String = "localhost", root: URL? = nil
    ) throws -> PostgreSQLStore {
        var options: [StoreOption: any Sendable] = [
            .postgresHost: host, .postgresPort: server.port, .postgresDatabase: "postgres",
            .postgresUser: "backstitch", .postgresSSLMode: mode,
        ]
        if let root { options[.postgresSSLRootCertificate] = root.path }
        return try TestDatabase.store(options: options)
    }

    private func isEncrypted(_ store: PostgreSQLStore) throws -> Bool {
        defer { try? store.close() }
        return try store.texts("SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == ["true"]
    }

    @Test("require, verify-ca and verify-full let in whom they may, encrypted, and nobody else")
    func modes() async throws {
        try await withServer { [self] server, certificates in
            for (mode, host, root) in [
                ("require", "127.0.0.1", nil), ("verify-ca", "127.0.0.1", certificates.authority),
                ("verify-full", "localhost", certificates.authority),
            ] {
                let store = try open(server, mode, host: host, root: root)
                #expect(try isEncrypted(store), "\(mode)")
            }
            for (mode, host, root, reason) in [
                ("verify-full", "127.0.0.1", certificates.authority, "does not match host name"),
                ("verify-full", "localhost", certificates.stranger, "certificate verify failed"),
                ("verify-ca", "127.0.0.1", certificates.stranger, "certificate verify failed"),
                ("verify-ca", "localhost", server.folder.appending(path: "nowhere"), "root certificate"),
            ] {
                let error = #expect(throws: BackstitchError.self) { try open(server, mode, host: host, root: root) }
                #expect(error?.code == .authentication, "\(mode) \(host): \(String(describing: error))")
                #expect(error?.message.contains("postgresSSLRootCertificate") == true, "\(String(describing: error))")
                #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
            }
            let error = #expect(throws: BackstitchError.self) { try open(server, "disable") }
            #expect(error?.code == .authentication, "\(String(describing: error))")
            #expect(error?.message.contains("without encryption") == true, "\(String(describing: error))")
        }
    }

    @Test("a server that ceases to encrypt is refused at once, and trusted again when it does")
    func ceasing() async throws {
        try await withServer { [self] server, certificates in
            let store = try open(server, "verify-full", root: certificates.authority)
            let tag = try store.configuration.model.requireEntity(named: "Tag")
            _ = try store.save(store.tags(["a"]))
            try server.sql("ALTER SYSTEM SET ssl = off")
            server.crash()
            try server.start()
            let start = ContinuousClock.now
            let error = #expect(throws: BackstitchError.self) { try store.count(StoreFetchRequest(entity: tag)) }
            #expect(error?.code == .authentication, "\(String(describing: error))")
            #expect(error?.message.contains("SSL") == true, "\(String(describing: error))")
            // There is no use in asking again.
            #expect(start.duration(to: .now) < .seconds(5))
            try server.sql("ALTER SYSTEM RESET ssl")
            server.crash()
            try server.start()
            #expect(try store.count(StoreFetchRequest(entity: tag)) == 1)
            try store.close()
        }
    }

    @Test(
        "a server on another machine must prove who it is, unless something else is said; one on this machine need not",
        arguments: [
            ("postgres://u@db.example.org/d", [:], "verify-full"), ("postgres://u@10.0.0.7/d", [:], "verify-full"),
            ("postgres://u@localhost.example.org/d", [:], "verify-full"),
            ("postgres://u@127.example.org/d", [:], "verify-full"),
            ("postgres://u@db.example.org/d?sslmode=prefer", [:], "prefer"),
            ("postgres://u@db.example.org/d", [.postgresSSLMode: "require"], "require"),
            ("postgres://u@localhost/d?hostaddr=10.0.0.7", [:], "verify-full"),
            ("postgres:///d?host=localhost,db.example.org", [:], "verify-full"),
            ("postgres:///d?service=far", [:], "verify-full"),
            ("postgres://u@localhost/d", [:], nil), ("postgres://u@127.0.0.1/d", [:], nil),
            ("postgres://u@[::1]/d", [:], nil),
            ("postgres:///d?host=/var/run/postgresql", [:], nil), ("postgres:///d", [:], nil),
        ] as [(String, [StoreOption: any Sendable], String?)])
    func defaultMode(_ url: String, _ options: [StoreOption: any Sendable], _ mode: String?) throws {
        let address = try address(url, options)
        // The environment of the tests has priority.
        guard ProcessInfo.processInfo.environment["PGSSLMODE"] == nil else { return }
        #expect(address.parameters["sslmode"] == mode)
        if mode == "verify-full", PostgreSQLKeywords.knowsSystemRoots {
            #expect(address.parameters["sslrootcert"] != nil)
        }
    }

    private func address(_ url: String, _ options: [StoreOption: any Sendable]) throws -> PostgreSQLAddress {
        try PostgreSQLAddress(
            url: URL(string: url), options: StoreOptions(options, specifications: PostgreSQLOptions.specifications))
    }

    @Test("libpq's other keywords are taken from the URL and from an option; the store's own and secrets are not")
    func keywords() throws {
        let address = try address(
            "postgres://u@localhost/d?tcp_user_timeout=5000&keepalives_idle=7",
            [.postgresParameters: ["ssl_min_protocol_version": "TLSv1.3", "requirepeer": "postgres"]])
        #expect(address.parameters["tcp_user_timeout"] == "5000" && address.parameters["requirepeer"] == "postgres")
        #expect(address.keywords.description.components(separatedBy: "keepalives_idle").count == 2)
        for name in ["sslpassword", "password", "client_encoding", "replication", "nonsense"] {
            let error = #expect(throws: BackstitchError.self) {
                try self.address("postgres://u@localhost/d", [.postgresParameters: [name: "canary"]])
            }
            #expect(error?.code == .invalidOption && error?.message.contains("\"\(name)\"") == true)
            #expect(error?.message.contains("canary") == false)
        }
        for name in ["sslpassword", "scram_client_key"] {
            for place in ["postgres://u@localhost/d?\(name)=canary", "postgres://u@localhost/d"] {
                let error = #expect(throws: BackstitchError.self) {
                    try self.address(place, [.postgresParameters: [name: "canary"]])
                }
                #expect(error?.message.contains("postgresSecretParameters") == true)
            }
        }
        #expect(throws: BackstitchError.self) {
            try self.address("postgres://u@localhost/d?requirepeer=a", [.postgresParameters: ["requirepeer": "b"]])
        }
    }

    @Test("a client's key that a passphrase protects opens with it alone, which nothing shows")
    func protectedKey() async throws {
        try await withServer { server, certificates in
            let key = try Certificates.makeClient(of: server, user: "backstitch", passphrase: "canary-5 % é")
            try server.configure(["ssl_ca_file = '\(certificates.authority.path)'"])
            try server.allow(["hostssl all all 127.0.0.1/32 cert"])
            server.crash()
            try server.start()
            func open(_ secrets: [String: String]) throws -> PostgreSQLStore {
                try TestDatabase.store(options: [
                    .postgresHost: "localhost", .postgresPort: server.port, .postgresDatabase: "postgres",
                    .postgresUser: "backstitch", .postgresSSLMode: "verify-full",
                    .postgresSSLRootCertificate: certificates.authority.path,
                    .postgresParameters: ["sslcert": key.certificate.path, "sslkey": key.file.path],
                    .postgresSecretParameters: secrets,
                ])
            }
            let store = try open(["sslpassword": "canary-5 % é"])
            #expect(try store.texts("SELECT current_user::text") == ["backstitch"])
            try store.close()
            for secrets in [[:], ["sslpassword": "canary-6"], ["sslpassword": "canary-7\0"], ["user": "canary-8"]] {
                let error = #expect(throws: BackstitchError.self) { try open(secrets) }
                let isOption = secrets["user"] != nil || secrets["sslpassword"]?.contains("\0") == true
                #expect(error?.code == (isOption ? .invalidOption : .authentication), "\(String(describing: error))")
                #expect(error?.message.contains("postgresSecretParameters") == (secrets["sslpassword"]?.last != "\0"))
                #expect(error.map { "\($0) \(String(reflecting: $0))" }?.contains("canary") == false)
            }
        }
    }

    @Test("who may be asked for what is an option; a libpq that is too old for it says so")
    func requireAuth() throws {
        let server = try PostgresServer.shared.get()
        do {
            let error = #expect(throws: BackstitchError.self) {
                try TestDatabase.store(url: server.url, options: [.postgresRequireAuth: "scram-sha-256"])
            }
            #expect(
                error?.message.contains(PostgreSQLKeywords.knowsSystemRoots ? "auth" : "install a newer one") == true)
        }
    }
}
