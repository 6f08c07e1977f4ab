import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Pages that call from a browser.
@Suite("pages of other origins") struct CrossOriginTests {
    private static let origin = "https://app.example"

    private func withPages(_ body: (TestClient) async throws -> Void) async throws {
        try await withServer({
            $0.users = [.init(userRecordName: "_alice", webAuthToken: strong("alice"))]
            $0.allowedOrigins = [Self.origin, "http://localhost:3000"]
        }) { client, _ in
            var client = client
            client.bearer = strong("alice")
            try await body(client)
        }
    }

    private func address(_ client: TestClient, _ endpoint: WireEndpoint = .zonesList) -> String {
        client.base + endpoint.path(container: client.container, environment: client.environment)
    }

    private func preflight(_ client: TestClient, from origin: String) async throws -> TestAnswer {
        try await client.send(
            address(client, .recordsModify), method: .OPTIONS,
            headers: ["Origin": origin, "Access-Control-Request-Method": "POST"])
    }

    @Test("a browser that asks before a page of a declared origin calls is told what it may send, without a token")
    func asks() async throws {
        try await withPages { client in
            for origin in [Self.origin, "http://localhost:3000"] {
                let answer = try await preflight(client, from: origin)
                #expect(answer.status == 204 && answer.body.isEmpty)
                #expect(answer.headers["Access-Control-Allow-Origin"] == [origin])
                #expect(answer.headers["Access-Control-Allow-Credentials"] == [])
                #expect(answer.headers["Access-Control-Max-Age"] == ["600"])
                #expect(answer.headers["Vary"] == ["Origin"])
                for method in ["POST", "HEAD", "PATCH"] {
                    #expect(answer.headers["Access-Control-Allow-Methods"].joined().contains(method))
                }
                let allowed = answer.headers["Access-Control-Allow-Headers"].joined().lowercased()
                for header in [
                    "authorization", "content-type", "x-backstitch-extensions", "x-backstitch-parameters",
                    "upload-offset",
                ] {
                    #expect(allowed.contains(header))
                }
            }
        }
    }

    @Test("the answers to a page of a declared origin can be read, failures too")
    func reads() async throws {
        try await withPages { client in
            for (token, status) in [(strong("alice"), 200), (strong("wrong"), 421)] {
                let answer = try await client.send(
                    address(client), method: .GET,
                    headers: ["Origin": Self.origin, "Authorization": "Bearer \(token)"])
                #expect(answer.status == status)
                #expect(answer.headers["Access-Control-Allow-Origin"] == [Self.origin])
                #expect(answer.headers["Vary"] == ["Origin"])
                let shown = answer.headers["Access-Control-Expose-Headers"].joined()
                for header in [
                    WireHeader.requestUUID, WireHeader.rotatedToken, "Retry-After", WireHeader.limits, "Upload-Offset",
                    "Upload-Length",
                ] {
                    #expect(shown.contains(header))
                }
            }
        }
    }

    @Test(
        "any other origin gets nothing of it, however near it is",
        arguments: [
            "https://evil.example", "http://app.example", "https://app.example:8443", "https://app.example.evil",
            "https://sub.app.example", "https://app.example/", "HTTPS://APP.EXAMPLE", "null", "*",
            "https://app.example, https://evil.example", "http://localhost",
        ])
    func others(_ origin: String) async throws {
        try await withPages { client in
            let asked = try await preflight(client, from: origin)
            #expect(asked.status != 204)
            let answer = try await client.send(
                address(client), method: .GET,
                headers: ["Origin": origin, "Authorization": "Bearer \(strong("alice"))"])
            #expect(answer.status == 200)
            for answer in [asked, answer] {
                #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
                #expect(answer.headers["Vary"] == ["Origin"])
            }
        }
    }

    @Test("a server without declared origins answers as it did")
    func undeclared() async throws {
        try await withServer { client, _ in
            let answer = try await client.send(
                address(client), method: .GET, headers: ["Origin": "http://localhost:3000"])
            #expect(answer.status == 200 && answer.headers["Vary"] == [])
            #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
            #expect(try await preflight(client, from: "http://localhost:3000").status == 400)
        }
    }

    @Test("in development mode a page from elsewhere is refused, declared or not")
    func development() async throws {
        try await withServer({ $0.allowedOrigins = [Self.origin, "http://localhost:3000"] }) { client, _ in
            let foreign = try await client.send(address(client), method: .GET, headers: ["Origin": Self.origin])
            #expect(foreign.status == 403)
            let local = try await client.send(
                address(client), method: .GET, headers: ["Origin": "http://localhost:3000"])
            #expect(local.status == 200)
        }
    }

    @Test("origins are scheme, host and port, and nothing else")
    func origins() {
        let kept = ["https://app.example", "http://localhost:3000", "https://[::1]:8443", "http://127.0.0.1"]
        for text in kept { #expect(WebOrigin(text)?.text == text) }
        #expect(WebOrigin("HTTPS://App.Example:443")?.text == "https://app.example")
        #expect(WebOrigin("http://app.example:80")?.text == "http://app.example")
        let refused = [
            "*", "null", "", "app.example", "https://", "https://app.example/", "https://app.example/page",
            "https://user@app.example", "https://*.example", "ftp://app.example", "https://app.example:99999",
            "https:app.example", "https://app example",
        ]
        for text in refused {
            #expect(WebOrigin(text) == nil, "\(text)")
            var configuration = ZoneServerConfiguration(storage: .memory)
            configuration.allowedOrigins = [text]
            #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
        }
    }

    @Test("an environment is the same one in any case, and another word is none")
    func environments() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("A")
            var other = client
            for environment in ["Development", "DEVELOPMENT"] {
                other.environment = environment
                #expect(try await other.lookup(["A"])[0].record().recordName == "A")
            }
            other.environment = "Production"
            try await other.makeZone("P")
            other.environment = "production"
            let zones: ZonesResponse = try await other.call(.zonesList)
            #expect(zones.zones.count == 2)
            other.environment = "Staging"
            let answer = try await other.raw(.zonesList, "{}")
            #expect(answer.status == 400 && answer.text.contains("unknown environment 'Staging'"))
        }
    }
}
