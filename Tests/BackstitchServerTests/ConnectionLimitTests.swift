import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Unused connections do not keep others out.
@Suite struct ConnectionLimitTests {
    private let list = "GET /database/1/iCloud.test/development/private/zones/list HTTP/1.1\r\nHost: localhost\r\n"

    @Test("half a head is cut off in time, even when bytes come now and then")
    func trickledHead() async throws {
        try await withServer({ $0.headTimeout = 1 }) { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            try await connection.send("GET / HTTP/1.1\r\n")
            let trickle = Task {
                while !Task.isCancelled {
                    try await connection.send("X-A: b\r\n")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            #expect(try await connection.readToEnd(within: 30).isEmpty)
            trickle.cancel()
        }
    }

    @Test("half a head after a whole request is cut off too, and a connection that waits is not")
    func secondHead() async throws {
        try await withServer({ $0.headTimeout = 1 }) { client, _ in
            let connection = try RawConnection(client.base)
            defer { connection.end() }
            for pause in [2, 1] {
                try await connection.send(list + "\r\n")
                // The time for the next head does not count before the answer has ended.
                #expect(try await connection.read(until: "]}", within: 30).hasPrefix("HTTP/1.1 200 OK"))
                try await Task.sleep(for: .seconds(pause))
            }
            let start = ContinuousClock.now
            try await connection.send(list)
            #expect(try await connection.readToEnd(within: 30).isEmpty)
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }

    @Test("an address that opens more connections than it may loses the one that did nothing for longest")
    func perAddress() async throws {
        try await withServer({ $0.connectionsPerAddress = 4 }) { client, _ in
            var waiting: [RawConnection] = []
            defer { for connection in waiting { connection.end() } }
            for _ in 0..<20 {
                waiting.append(try RawConnection(client.base))
                // An answer tells that it was let in before the next.
                try await waiting[waiting.count - 1].send(list + "\r\n")
                try await waiting[waiting.count - 1].receive()
            }
            // The server notes the end of an answer a moment after its first byte, so peers may change places.
            for connection in waiting.prefix(12) { _ = try await connection.readToEnd(within: 30) }
            try await waiting[19].send(list + "\r\n")
            try await waiting[19].receive()
            // Others of the same address are served nevertheless.
            for _ in 0..<10 { let _: ZonesResponse = try await client.call(.zonesList) }
        }
    }

    private let upload =
        "POST /database/1/iCloud.test/development/private/zones/modify HTTP/1.1\r\nHost: localhost\r\n"
        + "Connection: close\r\nContent-Length: 17\r\n\r\n{"

    /// Connections on which bodies have begun.
    private func beginBodies(_ count: Int, _ client: TestClient, _ server: ZoneServer) async throws -> [RawConnection] {
        var connections: [RawConnection] = []
        let ledger = try server.working.context.ledger
        for number in 0..<count {
            connections.append(try RawConnection(client.base))
            try await connections[number].send(upload)
            #expect(try await eventually { ledger.held(.bytes, of: Authenticator.developmentUser) == number + 1 })
        }
        return connections
    }

    @Test("neither requests that are answered nor a few bodies that come are cut for new connections")
    func busyConnections() async throws {
        try await withServer({ $0.connectionsPerAddress = 4 }) { client, server in
            let hub = try server.working.context.push.hub
            var polls: [RawConnection] = []
            for number in 0..<2 {
                let token: PushToken = try await client.call(.tokensCreate, PushToken())
                let address = try #require(token.webcourierURL).dropFirst(client.base.count)
                polls.append(try RawConnection(client.base))
                try await polls[number].send("GET \(address)&wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await eventually { hub.waiting == number + 1 })
            }
            let bodies = try await beginBodies(2, client, server)
            defer { for connection in polls + bodies { connection.end() } }
            for _ in 0..<5 {
                let refused = try RawConnection(client.base)
                #expect(try await refused.readToEnd(within: 30).isEmpty)
                refused.end()
            }
            for connection in bodies {
                try await connection.send("\"operations\":[]}")
                #expect(try await connection.readToEnd(within: 30).hasPrefix("HTTP/1.1 200"))
            }
            #expect(hub.waiting == 2)
        }
    }

    @Test("slow bodies keep nobody out: beyond half of an address's connections one goes for each new connection")
    func slowBodies() async throws {
        try await withServer({ $0.connectionsPerAddress = 8 }) { client, server in
            let bodies = try await beginBodies(8, client, server)
            defer { for connection in bodies { connection.end() } }
            for _ in 0..<4 {
                let connection = try RawConnection(client.base)
                try await connection.send(list + "Connection: close\r\n\r\n")
                #expect(try await connection.readToEnd(within: 30).hasPrefix("HTTP/1.1 200"))
                connection.end()
            }
            // The one that began first went.
            #expect(try await bodies[0].readToEnd(within: 30).isEmpty)
            try await bodies[7].send("\"operations\":[]}")
            #expect(try await bodies[7].readToEnd(within: 30).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("sign-ins have few places, so that slow ones shut nobody out of anything else")
    func slowSignIns() async throws {
        try await withServer({
            $0.signInProviders = [SignInProvider(issuer: "http://127.0.0.1:1", clientIDs: ["app"])]
        }) { client, server in
            let begin =
                "POST /auth/oidc HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 20\r\n\r\n{"
            var slow: [RawConnection] = []
            defer { for connection in slow { connection.end() } }
            for _ in 0..<SignInPlaces.usual.ofAddress {
                slow.append(try RawConnection(client.base))
                try await slow[slow.count - 1].send(begin)
            }
            let ledger = try server.working.context.ledger
            #expect(try await eventually { ledger.held(.bytes, of: "_sign-in 127.0.0.1") == slow.count })
            let refused = try RawConnection(client.base)
            try await refused.send(begin)
            #expect(try await refused.read(until: "}", within: 30).hasPrefix("HTTP/1.1 429"))
            refused.end()
            let health = try await client.send(client.base + "/health", method: .GET)
            #expect(health.status == 200)
            slow.removeLast().end()
            #expect(
                try await eventually {
                    let answer = try await client.send(
                        client.base + "/auth/oidc", body: Array(#"{"idToken":"a"}"#.utf8))
                    return answer.status != 429
                })
        }
    }
}
