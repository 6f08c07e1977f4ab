import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("tokens of users, while the server runs") struct TokenTests {
    private typealias User = ZoneServerConfiguration.User

    private static let alice = User(userRecordName: "_alice", webAuthToken: strong("alice"))
    private static let bob = User(userRecordName: "_bob", webAuthToken: strong("bob"))

    private func client(_ client: TestClient, _ word: String) -> TestClient {
        var copy = client
        copy.bearer = strong(word)
        return copy
    }

    @Test("users come and go while it runs; what a user without a token had ends with the user")
    func replaced() async throws {
        try await withServer({ $0.users = [Self.alice] }) { base, server in
            let alice = client(base, "alice"), bob = client(base, "bob")
            try await alice.makeZone()
            let made: PushToken = try await alice.call(.tokensCreate, PushToken())
            let url = try #require(made.webcourierURL)
            async let waiting = alice.send("\(url)&wait=30", method: .GET)
            let service = try #require(server.state.withLock { $0.service })
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            _ = await expectFailure(.authenticationRequired) { try await bob.makeZone() }

            try await server.setTokens(apiTokens: [], users: [Self.bob])
            #expect(try await waiting.status == 404)
            #expect(try await alice.send(url, method: .GET).status == 404)
            _ = await expectFailure(.authenticationRequired) { try await alice.makeZone() }
            try await bob.makeZone()

            // A user who comes back finds the records, and needs another push token.
            try await server.setTokens(apiTokens: [], users: [Self.alice, Self.bob])
            #expect(try await alice.follow().records.isEmpty)
            #expect(try await alice.send(url, method: .GET).status == 404)
        }
    }

    @Test("a push token of a user who is gone when the server starts is no longer good")
    func goneAtStart() async throws {
        try await withFolder { folder in
            let path = Locked("")
            try await withServer({
                $0.storage = .directory(folder)
                $0.users = [Self.alice]
            }) { base, _ in
                let made: PushToken = try await client(base, "alice").call(.tokensCreate, PushToken())
                path.withLock { $0 = "/aps?wait=0&tok=\(made.apnsToken ?? "")" }
                let url = base.base + path.withLock { $0 }
                #expect(try await base.send(url, method: .GET).status == 200)
            }
            try await withServer({
                $0.storage = .directory(folder)
                $0.users = [Self.bob]
            }) { base, _ in
                let answer = try await base.send(base.base + path.withLock { $0 }, method: .GET)
                #expect(answer.status == 404)
            }
        }
    }

    @Test("a token with an end is honoured until then, and so is what was given for it")
    func expiry() async throws {
        let clock = VirtualClock()
        var user = Self.alice
        user.expires = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000 + 60)
        try await withServer({ [user] in
            $0.users = [user]
            $0.clock = clock
        }) { base, _ in
            let alice = client(base, "alice")
            try await alice.makeZone()
            let made: PushToken = try await alice.call(.tokensCreate, PushToken())
            let poll = "\(try #require(made.webcourierURL))&wait=0"
            clock.advance(by: 59 * 1_000)
            try await alice.makeZone()
            #expect(try await alice.send(poll, method: .GET).status == 200)
            clock.advance(by: 1_000)
            _ = await expectFailure(.authenticationRequired) { try await alice.makeZone() }
            #expect(try await alice.send(poll, method: .GET).status == 404)
        }
    }

    @Test(
        "too many wrong tokens from one address are not looked at for a minute; right ones are let in all the same"
    )
    func throttled() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.users = [Self.alice, Self.bob]
            $0.clock = clock
            $0.failedAttemptsPerMinute = 5
        }) { base, _ in
            try await client(base, "alice").makeZone()
            for number in 0..<5 {
                _ = await expectFailure(.authenticationRequired) {
                    try await client(base, "guess \(number)").makeZone()
                }
            }
            let error = await expectFailure(.throttled) { try await client(base, "guess").makeZone() }
            #expect(error?.retryAfter.map { (1...60).contains($0) } == true)
            // Others behind the same address are not locked out, those too who were not here before.
            try await client(base, "bob").makeZone()
            #expect(try await base.send("\(base.base)/aps?tok=1-AAAA", method: .GET).status == 404)
            try await client(base, "alice").makeZone()
            clock.advance(by: 61 * 1_000)
            _ = await expectFailure(.authenticationRequired) { try await client(base, "guess").makeZone() }
        }
    }

    @Test("tokens that could be guessed, shared tokens and no tokens at all are refused, and change nothing")
    func refused() async throws {
        var weak = ZoneServerConfiguration(storage: .memory)
        weak.users = [User(userRecordName: "_alice", webAuthToken: "0123456789abcdefghijk")]
        let error = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: weak) }
        #expect(error?.code == .insecureConfiguration && error?.message.contains("_alice") == true)
        weak.users = []
        weak.apiTokens = [TokenDigest(of: "program")]
        #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: weak) }
        try await withServer({ $0.users = [Self.alice] }) { base, server in
            for users in [[], [Self.alice, Self.alice], [User(userRecordName: "_bob", webAuthToken: "short")]] {
                await #expect(throws: ZoneServerError.self) { try await server.setTokens(apiTokens: [], users: users) }
            }
            try await client(base, "alice").makeZone()
        }
    }

    @Test("what the server names in answers leads to itself, whatever the caller says it is called")
    func forgedHost() async throws {
        try await withServer({ $0.users = [Self.alice] }) { base, _ in
            let port = try #require(URL(string: base.base)?.port)
            let path = WireEndpoint.tokensCreate.path(container: "iCloud.test", environment: "development")
            for (host, expected) in [
                ("evil.example", "127.0.0.1:\(port)"), ("evil.example:80", "127.0.0.1:\(port)"),
                ("localhost:80@evil.example", "127.0.0.1:\(port)"), ("localhost:1/evil", "127.0.0.1:\(port)"),
                ("[::1]evil", "127.0.0.1:\(port)"), ("localhost:\(port)", "localhost:\(port)"),
                ("[::1]:\(port)", "[::1]:\(port)"),
            ] {
                let headers: HTTPHeaders = ["Host": host, "Authorization": "Bearer \(strong("alice"))"]
                let answer = try await base.send(base.base + path, headers: headers, body: Array("{}".utf8))
                let url = try PushToken(wireJSON: answer.body).webcourierURL
                #expect(url?.hasPrefix("http://\(expected)/aps?") == true, "\(host): \(url ?? "")")
            }
        }
    }

    @Test("parameters may stand in a header, where no log keeps them; the server says that it knows that")
    func hiddenParameters() async throws {
        try await withServer({
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.users = [Self.alice]
        }) { base, _ in
            let path = WireEndpoint.usersCurrent.path(container: "iCloud.test", environment: "development")
            let secrets = "ckAPIToken=\(strong("api"))&ckWebAuthToken=\(strong("alice"))"
            let headers: HTTPHeaders = [WireHeader.parameters: secrets, WireHeader.extensions: "1"]
            let answer = try await base.send(base.base + path, headers: headers)
            #expect(try UserIdentity(wireJSON: answer.body).userRecordName == "_alice")
            let refused = try await base.send(base.base + path, headers: [WireHeader.extensions: "1"])
            #expect(refused.status == 401 && refused.headers[WireHeader.extensions] == ["1"])
            #expect(try await base.send(base.base + path).headers[WireHeader.extensions].isEmpty)
        }
    }
}
