import Backstitch
import BackstitchTestKit
import CloudWire
import CoreMetrics
import Crypto
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// The administrators' endpoints for accounts, called by every kind of caller.
@Suite("the administration's endpoints") struct AdministratorTests {
    /// A request of each kind, in a working order. One more request changes the state for the test.
    private static let requests: [(path: String, body: String)] = [
        ("users/add", #"{"alias":"ada"}"#), ("users/set", #"{"user":"ada","givenName":"Ada"}"#),
        ("users/list", "{}"), ("tokens/add", #"{"kind":"user","user":"ada","lifetime":86400}"#),
        ("tokens/list", #"{"kind":"user"}"#), ("tokens/revoke", #"{"kind":"user","id":"ID"}"#),
        ("keys/add", #"{"user":"ada","publicKey":"KEY"}"#), ("keys/list", "{}"),
        ("keys/revoke", #"{"id":"ID"}"#), ("containers/add", #"{"name":"iCloud.new"}"#), ("containers/list", "{}"),
        ("containers/remove", #"{"name":"iCloud.new"}"#), ("users/remove", #"{"user":"ada"}"#),
    ]

    private func withAdministration(
        on kind: StorageKind = .directory, _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (AccountServer, String) async throws -> Void
    ) async throws {
        let metrics = PrometheusMetricsFactory()
        try await withMetricsFactory(metrics) {
            try await withAccounts(
                on: kind,
                {
                    $0.administration = .init(port: 0, metrics: metrics)
                    change(&$0)
                }
            ) { accounts in
                let url = try #require(accounts.server.administrationURL)
                try await body(accounts, "\(url.absoluteString)/admin/")
            }
        }
    }

    private func send(
        _ accounts: AccountServer, _ address: String, _ token: String?, _ body: String, host: String? = nil,
        method: HTTPMethod = .POST
    ) async throws -> TestAnswer {
        var headers: HTTPHeaders = [:]
        if let token { headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let host { headers.add(name: "Host", value: host) }
        return try await accounts.client.send(address, method: method, headers: headers, body: Array(body.utf8))
    }

    @Test("the table of the tests has every endpoint")
    func complete() {
        #expect(Set(Self.requests.map(\.path)) == Set(AdministrationRequests.all.map { $0.path }))
    }

    @Test(
        "an administrator's token of storage or configuration opens all of them, and nothing else does",
        arguments: StorageKind.allCases)
    func callers(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        let configured = strong("administrator")
        let digest = try #require(TokenDigest(sha256: TokenDigest(of: configured).sha256))
        try await withAdministration(
            on: kind,
            {
                $0.clock = clock
                $0.users = [.init(userRecordName: "_file", webAuthToken: strong("file"))]
                $0.administration?.tokens = [digest]
            }
        ) { accounts, base in
            let (_, user) = try await accounts.user("bob")
            let stored = try await accounts.ask(AddToken(.administrator))
            let revoked = try await accounts.ask(AddToken(.administrator))
            _ = try await accounts.ask(RevokeToken(.administrator, id: revoked.token.id))
            var ending = AddToken(.administrator)
            ending.expires = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000)
            let expired = try await accounts.ask(ending)
            let api = try await accounts.ask(AddToken(.api))
            let before = try await accounts.service.context.storage.read { try $0.identityRevision() }
            let others: [String?] = [
                nil, "", strong("guess"), user.secret, strong("file"), revoked.secret, expired.secret, api.secret,
            ]
            for token in others {
                for (path, body) in Self.requests {
                    let answer = try await send(accounts, base + path, token, body)
                    #expect(answer.status == 401, "\(path): \(answer.text)")
                    #expect(answer.headers["WWW-Authenticate"] == ["Bearer"] && answer.text.contains("unauthorized"))
                }
            }
            for host in ["evil.example", "127.0.0.1.evil.example", "10.0.0.1:9090"] {
                for (path, body) in Self.requests {
                    let answer = try await send(accounts, base + path, stored.secret, body, host: host)
                    #expect(answer.status == 401, "\(host)")
                }
            }
            #expect(try await accounts.service.context.storage.read { try $0.identityRevision() } == before)
            #expect(try await accounts.ask(ListUsers()).lines.count == 1)

            let key = TestSigner(clock: clock).key.publicKey.derRepresentation.base64EncodedString()
            for token in [stored.secret, configured] {
                var id = ""
                for (path, text) in Self.requests {
                    let body = text.replacingOccurrences(of: "ID", with: id).replacingOccurrences(of: "KEY", with: key)
                    let answer = try await send(accounts, base + path, token, body)
                    #expect(answer.status == 200, "\(path): \(answer.text)")
                    if let match = answer.text.firstMatch(of: /"id":"([0-9a-f]+)"/) { id = String(match.output.1) }
                    #expect(answer.text.contains("secret") == (path == "tokens/add"))
                }
            }
            // Neither the wire nor the rest of the administration has these routes, and they answer to POST alone.
            #expect(
                try await send(accounts, accounts.client.base + "/admin/users/list", stored.secret, "{}").status == 404)
            #expect(try await send(accounts, base + "users/list", stored.secret, "", method: .GET).status == 400)
            #expect(try await send(accounts, base + "users", stored.secret, "{}").status == 404)
            _ = await expectFailure(.authenticationRequired) { try await accounts.with(stored.secret).makeZone() }
        }
    }

    @Test("mistakes are told by code and text, and change nothing")
    func mistakes() async throws {
        try await withAdministration { accounts, base in
            let token = try await accounts.ask(AddToken(.administrator)).secret
            _ = try await accounts.ask(AddUser(alias: "ada"))
            let large = String(repeating: " ", count: 70_000)
            for (path, body, status, code) in [
                ("users/add", "", 400, "invalid"), ("users/add", "[]", 400, "invalid"),
                ("users/add", #"{"alias":1}"#, 400, "invalid"), ("users/add", #"{"alias":"ada"}"#, 409, "exists"),
                ("users/set", #"{"user":"bob"}"#, 404, "notFound"),
                ("users/list", #"{"after":"a\u0000"}"#, 400, "invalid"),
                ("tokens/add", #"{"kind":"other"}"#, 400, "invalid"),
                ("tokens/add", #"{"kind":"user"}"#, 400, "invalid"),
                ("tokens/add", #"{"kind":"api","user":"ada"}"#, 400, "invalid"),
                ("tokens/add", #"{"kind":"user","user":"ada","lifetime":1}"#, 400, "invalid"),
                ("tokens/add", #"{"kind":"user","user":"ada","lifetime":9223372036854775807}"#, 400, "invalid"),
                ("tokens/add", #"{"kind":"user","user":"ada","expires":"2020-01-01T00:00:00Z"}"#, 400, "invalid"),
                ("tokens/add", #"{"kind":"user","user":"ada","container":"iCloud.a"}"#, 400, "invalid"),
                ("tokens/revoke", #"{"kind":"user","id":"0"}"#, 404, "notFound"),
                ("keys/add", #"{"user":"ada","publicKey":"AAAA"}"#, 400, "invalid"),
                ("keys/revoke", #"{"id":""}"#, 404, "notFound"),
                ("containers/remove", #"{"name":"a"}"#, 404, "notFound"),
                ("containers/add", #"{"name":"a b"}"#, 400, "invalid"), ("users/list", large + "{}", 400, "invalid"),
            ] {
                let answer = try await send(accounts, base + path, token, body)
                #expect(answer.status == status, "\(path) \(body.prefix(80)): \(answer.text)")
                #expect(answer.text.hasPrefix(#"{"error":{"code":"\#(code)","#), "\(answer.text)")
            }
            #expect(try await accounts.ask(ListUsers()).lines.count == 1)
            #expect(try await accounts.ask(ListTokens(.user)).lines.isEmpty)
        }
    }

    @Test("guesses are throttled, and no administrator is shut out by them")
    func throttled() async throws {
        let clock = VirtualClock()
        try await withAdministration(
            on: .directory,
            {
                $0.clock = clock
                $0.failedAttemptsPerMinute = 5
            }
        ) { accounts, base in
            let known = try await accounts.ask(AddToken(.administrator)).secret
            let late = try await accounts.ask(AddToken(.administrator)).secret
            #expect(try await send(accounts, base + "users/list", known, "{}").status == 200)
            for number in 0..<5 {
                #expect(try await send(accounts, base + "users/list", "guess\(number)", "{}").status == 401)
            }
            #expect(try await send(accounts, base + "users/list", "guess", "{}").status == 429)
            #expect(try await send(accounts, base + "users/list", late, "{}").status == 200)
            #expect(try await send(accounts, base + "users/list", known, "{}").status == 200)
            clock.advance(by: 61_000)
            #expect(try await send(accounts, base + "users/list", "guess", "{}").status == 401)
        }
    }
}
