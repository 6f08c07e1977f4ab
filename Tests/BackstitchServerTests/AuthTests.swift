import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct AuthTests {
    private func withSecureServer(_ body: @escaping (TestClient) async throws -> Void) async throws {
        try await withServer({
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.users = [
                .init(userRecordName: "_alice", webAuthToken: strong("al+ice/==")),
                .init(userRecordName: "_bob", webAuthToken: strong("bob")),
            ]
            $0.signInURL = URL(string: "https://example.org/signin")
        }) { client, _ in try await body(client) }
    }

    private func with(_ client: TestClient, _ query: String, bearer: String? = nil) -> TestClient {
        var copy = client
        copy.query = query
        copy.bearer = bearer
        return copy
    }

    @Test("without a valid API token: AUTHENTICATION_FAILED")
    func apiToken() async throws {
        try await withSecureServer { client in
            for query in [
                "", "ckAPIToken=", "ckAPIToken=wrong", "ckAPIToken=wrong&ckWebAuthToken=\(strong("bob"))",
                "ckWebAuthToken=\(strong("bob"))",
            ] {
                for database in ["private", "public"] {
                    let answer = try await with(client, query).on(database).raw(.recordsLookup, "{\"records\":[]}")
                    #expect(answer.status == 401, "\(query)")
                    let error = try WireError(wireJSON: answer.body)
                    #expect(error.code == .authenticationFailed)
                    #expect(error.uuid != nil)
                    #expect(answer.headers["X-Apple-Request-UUID"].first == error.uuid)
                }
            }
        }
    }

    @Test("a token that only reads gives its user's records; every change with it is refused: ACCESS_DENIED")
    func reader() async throws {
        try await withServer({
            $0.users = [
                .init(userRecordName: "_alice", webAuthToken: strong("alice")),
                .init(userRecordName: "_alice", webAuthToken: strong("display"), isReadOnly: true),
            ]
        }) { client, _ in
            let writer = with(client, "", bearer: strong("alice")), reader = with(client, "", bearer: strong("display"))
            await #expect(throws: TestFailure.self) { try await reader.makeZone("Y") }
            try await writer.makeZone()
            try await reader.makeZone()
            try await writer.save("r", ["title": .string("a")])
            let changes: [RecordOperation] = [
                create("s"), operation(.forceUpdate, "r", ["title": .string("b")]), operation(.forceReplace, "r"),
                operation(.forceDelete, "r"),
            ]
            for change in changes {
                #expect(try await reader.modify([change]).map(\.error?.code) == [.accessDenied])
                #expect(try await reader.modify([change], atomic: true).map(\.error?.code) == [.accessDenied])
            }
            let deletion = ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)])
            let answer: ZonesResponse = try await reader.call(.zonesModify, deletion)
            guard case .error(let fault)? = answer.zones.first else { throw TestFailure("a reader deleted a zone") }
            #expect(fault.error.code == .accessDenied)
            let upload = AssetUploadRequest(
                zoneID: TestClient.zone, tokens: [.init(recordName: "r", recordType: "Item", fieldName: "photo")])
            let error = await #expect(throws: WireError.self) {
                try await reader.call(.assetsUpload, upload, as: AssetUploadResponse.self)
            }
            #expect(error?.code == .accessDenied)
            #expect(try await reader.lookup(["r"])[0].record().fields["title"] == .string("a"))
            #expect(try await reader.follow().records.map(\.recordName) == ["r"])
        }
    }

    @Test("without a valid user: AUTHENTICATION_REQUIRED, with the place to sign in")
    func user() async throws {
        try await withSecureServer { client in
            for query in [
                "ckAPIToken=\(strong("api"))", "ckAPIToken=\(strong("api"))&ckWebAuthToken=",
                "ckAPIToken=\(strong("api"))&ckWebAuthToken=wrong",
            ] {
                for endpoint in WireEndpoint.allCases {
                    let path = endpoint.path(container: "iCloud.test", environment: "development")
                    let answer = try await with(client, query).raw(path, Array("{}".utf8))
                    #expect(answer.status == 421, "\(endpoint)")
                    let error = try WireError(wireJSON: answer.body)
                    #expect(error.code == .authenticationRequired)
                    #expect(error.redirectURL == "https://example.org/signin")
                }
            }
        }
    }

    @Test("an API token alone reads the public database and writes nothing")
    func world() async throws {
        try await withSecureServer { client in
            let alice = with(client, "ckAPIToken=\(strong("api"))&ckWebAuthToken=\(strong("al%2Bice%2F%3D%3D"))").on(
                "public")
            try await alice.save("news", ["text": .string("hello")], zone: nil)
            let world = with(client, "ckAPIToken=\(strong("api"))").on("public")
            #expect(try await world.lookup(["news"], zone: nil)[0].record().value("text") == .string("hello"))
            _ = await expectFailure(.authenticationRequired) { try await world.modify([create("x")], zone: nil) }
            _ = await expectFailure(.authenticationRequired) {
                try await world.call(.usersCaller, as: UserIdentity.self)
            }
            let bob = with(client, "ckAPIToken=\(strong("api"))&ckWebAuthToken=\(strong("bob"))").on("public")
            #expect(try await bob.lookup(["news"], zone: nil)[0].error == nil)
        }
    }

    @Test(
        "a user is known by the token in the query, escaped or not, or as a bearer's",
        arguments: [
            ("ckAPIToken=\(strong("api"))&ckWebAuthToken=\(strong("al%2Bice%2F%3D%3D"))", nil, "_alice"),
            ("ckAPIToken=\(strong("api"))&ckWebAuthToken=\(strong("al+ice/=="))", nil, "_alice"),
            ("ckAPIToken=\(strong("api"))&ckSession=\(strong("bob"))", nil, "_bob"),
            ("ckAPIToken=\(strong("api"))", strong("bob"), "_bob"), ("", strong("bob"), "_bob"),
            ("", strong("al+ice/=="), "_alice"),
        ] as [(String, String?, String)])
    func tokens(_ query: String, bearer: String?, name: String) async throws {
        try await withSecureServer { client in
            let answer = try await with(client, query, bearer: bearer).on("public").raw(.usersCaller, "")
            #expect(try UserIdentity(wireJSON: answer.body).userRecordName == name)
            #expect(answer.text.contains("\"users\":[{\"userRecordName\""))
        }
    }

    @Test("a bearer's token that is not valid is no token")
    func badBearer() async throws {
        try await withSecureServer { client in
            _ = await expectFailure(.authenticationRequired) {
                try await with(client, "ckAPIToken=\(strong("api"))&ckWebAuthToken=\(strong("bob"))", bearer: "wrong")
                    .makeZone()
            }
        }
    }

    @Test("users/caller is the public database's, users/current also the private one's")
    func users() async throws {
        try await withServer { client, _ in
            let caller: UserIdentity = try await client.user("eve").on("public").call(.usersCaller)
            #expect(caller.userRecordName == "eve")
            let error = await expectFailure(.badRequest) { try await client.call(.usersCaller, as: UserIdentity.self) }
            #expect(error?.reason == "endpoint not applicable in the database type 'privatedb'")
            let current: UserIdentity = try await client.call(.usersCurrent)
            #expect(current.userRecordName == "_development")
        }
    }

    @Test(
        "a server without tokens starts on a loopback address only",
        arguments: ["0.0.0.0", "::", "192.168.1.5", "example.org", "127.1", "0127.0.0.1x"])
    func development(_ host: String) {
        var configuration = ZoneServerConfiguration(host: host, port: 0, storage: .memory)
        let error = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
        #expect(error?.code == .insecureConfiguration)
        #expect(error?.message.contains("127.0.0.1") == true)
        configuration.apiTokens = [TokenDigest(of: strong("t"))]
        let plain = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
        #expect(plain?.message.contains("--insecure-http") == true)
        configuration.allowsInsecureHTTP = true
        configuration.containers = .any
        #expect(throws: Never.self) { try ZoneServer(configuration: configuration) }
    }

    @Test("loopback addresses do for development", arguments: ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
    func loopback(_ host: String) {
        #expect(throws: Never.self) { try ZoneServer(configuration: .init(host: host, storage: .memory)) }
    }

    @Test("in development mode a page from elsewhere is refused, by its origin or by a name it gave this machine")
    func foreignPages() async throws {
        try await withServer { client, _ in
            let port = try #require(URL(string: client.base)?.port)
            let path = "/database/1/iCloud.test/development/private/zones/list"
            let cases: [(HTTPHeaders, Int)] = [
                (["Origin": "https://evil.example"], 403), (["Host": "evil.example:\(port)"], 403),
                (["Origin": "null"], 403),
                (["Origin": "http://localhost:3000"], 200), (["Host": "127.0.0.1:\(port)"], 200),
                (["Host": "[::1]:\(port)"], 200),
            ]
            for (headers, status) in cases {
                let answer = try await client.send(client.base + path, headers: headers, body: Array("{}".utf8))
                #expect(answer.status == status, "\(headers)")
            }
        }
    }

    @Test("settings that make no sense are refused by name")
    func configuration() {
        let changes: [(String, (inout ZoneServerConfiguration) -> Void)] = [
            ("port", { $0.port = 70_000 }), ("standardLimits", { $0.standardLimits.page = 0 }),
            ("idleTimeout", { $0.idleTimeout = 0 }), ("idleTimeout", { $0.idleTimeout = .max }),
            ("tombstoneRetention", { $0.tombstoneRetention = .max }),
            ("quota zones", { $0.userQuotas.zones = .max }), ("quota bytes", { $0.userQuotas.bytes = -1 }),
            ("userRecordName", { $0.users = [.init(userRecordName: "", webAuthToken: strong("x"))] }),
            (
                "same web auth token",
                {
                    $0.users = [
                        .init(userRecordName: "a", webAuthToken: strong("x")),
                        .init(userRecordName: "b", webAuthToken: strong("x")),
                    ]
                }
            ),
        ]
        for (word, change) in changes {
            var configuration = ZoneServerConfiguration(storage: .memory)
            change(&configuration)
            let error = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
            #expect(error?.message.contains(word) == true, "\(String(describing: error))")
        }
    }

    @Test("containers that are not served, and environments that do not exist, are refused")
    func containers() async throws {
        try await withServer({ $0.containers = .declared(["iCloud.test"]) }) { client, _ in
            var other = client
            other.container = "iCloud.other"
            _ = await expectFailure(.notFound) { try await other.makeZone() }
            var nowhere = client
            nowhere.environment = "staging"
            _ = await expectFailure(.badRequest) { try await nowhere.makeZone() }
            try await client.makeZone()
        }
    }

    @Test("a server with tokens says which containers it serves; one for development serves any unless it says")
    func declaredContainers() throws {
        var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
        #expect(throws: Never.self) { try ZoneServer(configuration: configuration) }
        #expect(configuration.serves("iCloud.any"))
        configuration.users = [.init(userRecordName: "_alice", webAuthToken: strong("alice"))]
        let error = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(".declared") == true && error?.message.contains("--any-container") == true)
        for (containers, word) in [
            (ServedContainers.declared([]), "no container"), (.declared(["a", "no name"]), "'no name'"),
        ] {
            configuration.containers = containers
            let error = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
            #expect(error?.message.contains(word) == true)
        }
        for containers in [ServedContainers.any, .declared(["iCloud.a"])] {
            configuration.containers = containers
            #expect(throws: Never.self) { try ZoneServer(configuration: configuration) }
            #expect(configuration.serves("iCloud.a"))
            #expect(configuration.serves("iCloud.b") == (containers == .any))
        }
    }

    @Test("a stored token is of no use to who reads the storage")
    func noSecretsAtRest() async throws {
        try await withFolder { folder in
            let token = Locked("")
            try await withServer({
                $0.storage = .directory(folder)
                $0.users = [.init(userRecordName: "_alice", webAuthToken: strong("canary-web-token"))]
            }) { client, _ in
                let alice = with(client, "ckWebAuthToken=\(strong("canary-web-token"))")
                try await alice.makeZone()
                let made: PushToken = try await alice.call(.tokensCreate, PushToken())
                token.withLock { $0 = made.apnsToken ?? "" }
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("zones") {
                let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
                for secret in [strong("canary-web-token"), token.withLock { $0 }] {
                    #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name) holds a token")
                }
            }
        }
    }
}
