import Backstitch
import BackstitchTestKit
import CloudWire
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("a server behind a proxy")
struct ProxyTests {
    private func address(_ text: String) throws -> MachineAddress { try #require(MachineAddress(text)) }

    @Test("the caller is the last machine named that is no trusted proxy")
    func callers() throws {
        let table: [(TrustedProxies.Header, peer: String, [String], caller: String)] = [
            (.xForwardedFor, "10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
            (.xForwardedFor, "10.0.0.1", ["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
            (.xForwardedFor, "10.0.0.1", ["192.0.2.7, 10.0.0.2"], "192.0.2.7"),
            (.xForwardedFor, "10.0.0.1", ["198.51.100.1", "192.0.2.7 ,10.0.0.2"], "192.0.2.7"),
            (.xForwardedFor, "10.0.0.1", ["192.0.2.7:4711"], "192.0.2.7"),
            (.xForwardedFor, "::ffff:10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
            (.xForwardedFor, "fd00::1", ["2001:db8::7"], "2001:db8::7"),
            // Not from a trusted proxy, no address at all, only proxies.
            (.xForwardedFor, "192.0.2.9", ["192.0.2.7"], "192.0.2.9"),
            (.xForwardedFor, "10.0.0.1", [], "10.0.0.1"),
            (.xForwardedFor, "10.0.0.1", [""], "10.0.0.1"),
            (.xForwardedFor, "10.0.0.1", ["192.0.2.7, unknown"], "10.0.0.1"),
            (.xForwardedFor, "10.0.0.1", ["192.0.2.7, x, 10.0.0.2"], "10.0.0.2"),
            (.xForwardedFor, "10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            (.xForwardedFor, "10.0.0.1", ["for=192.0.2.7"], "10.0.0.1"),
            (.forwarded, "10.0.0.1", ["for=192.0.2.7;proto=https;by=203.0.113.43"], "192.0.2.7"),
            (.forwarded, "10.0.0.1", ["for=198.51.100.1, proto=https; For=\"192.0.2.7:80\""], "192.0.2.7"),
            (.forwarded, "10.0.0.1", ["for=\"[2001:db8::7]:4711\", for=10.0.0.2"], "2001:db8::7"),
            (.forwarded, "10.0.0.1", ["for=192.0.2.7, for=_hidden"], "10.0.0.1"),
            (.forwarded, "10.0.0.1", ["for=192.0.2.7, by=10.0.0.9"], "10.0.0.1"),
            (.forwarded, "10.0.0.1", ["for=\"192.0.2.1, for=192.0.2.7"], "10.0.0.1"),
        ]
        for (header, peer, values, caller) in table {
            let proxies = try TrustedProxies(["10.0.0.0/8", "fd00::/8"], header: header)
            #expect(proxies.caller(try address(peer), values) == (try address(caller)), "\(peer) \(values)")
        }
    }

    @Test("networks are compared by the bits of their prefix, and texts that are none are refused with the text")
    func networks() throws {
        let table: [(String, String, Bool)] = [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false), ("192.0.2.0/25", "192.0.2.127", true),
            ("192.0.2.0/25", "192.0.2.128", false), ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "::1", false),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
            ("::1", "::1", true), ("::/0", "2001:db8::1", true),
        ]
        for (network, address, isIn) in table {
            #expect(try TrustedProxies([network]).contains(try self.address(address)) == isIn, "\(network) \(address)")
        }
        for bad in ["", "10", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "localhost", "a/8"] {
            let error = #expect(throws: ZoneServerError.self) { try TrustedProxies([bad]) }
            #expect(error?.message.contains("\"\(bad)\"") == true, "\(bad)")
        }
        #expect(throws: ZoneServerError.self) { try TrustedProxies([]) }
    }

    /// Calls with a token by way of a proxy, whose caller has named another address before.
    private func status(_ client: TestClient, _ token: String, from address: String) async throws -> Int {
        let target = "\(client.base)/database/1/iCloud.test/development/private/zones/list?ckWebAuthToken=\(token)"
        return try await client.send(
            target, headers: ["X-Forwarded-For": "203.0.113.99, \(address)"], body: Array("{}".utf8)
        ).status
    }

    @Test("callers behind a trusted proxy count each for itself, and names from elsewhere count for nothing")
    func failures() async throws {
        for (trusted, isTold) in [(["127.0.0.0/8", "::1"], true), (["192.0.2.0/24"], false), (nil, false)] {
            try await withServer({
                $0.users = [.init(userRecordName: "_ada", webAuthToken: strong("ada"))]
                $0.containers = .any
                $0.failedAttemptsPerMinute = 3
                $0.connectionsPerAddress = 512
                $0.trustedProxies = trusted.flatMap { try? TrustedProxies($0) }
            }) { client, _ in
                var guesses: [Int] = []
                for _ in 0..<4 { guesses.append(try await status(client, "guess", from: "192.0.2.7")) }
                #expect(guesses == [421, 421, 421, 429])
                let other = try await status(client, "guess", from: "192.0.2.8")
                #expect(other == (isTold ? 421 : 429))
                // A valid token that no server has seen yet is let in from anywhere.
                let valid = try await status(client, strong("ada"), from: "192.0.2.7")
                #expect(valid == 200)
            }
        }
    }

    @Test("connections of a trusted proxy are bounded by the room for all alone")
    func connections() async throws {
        for isTrusted in [true, false] {
            try await withServer({
                $0.connectionsPerAddress = 2
                if isTrusted { $0.trustedProxies = try? TrustedProxies(["127.0.0.1", "::1"]) }
            }) { client, _ in
                var open: [RawConnection] = []
                defer { for connection in open { connection.end() } }
                let path = "/database/1/iCloud.test/development/private/zones/list"
                for _ in 0..<6 {
                    let connection = try RawConnection(client.base)
                    try await connection.send(
                        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
                    _ = try await connection.read(until: "}", within: 30)
                    open.append(connection)
                }
                // The first one is open still, or was closed for the others.
                if isTrusted {
                    try await open[0].send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    _ = try await open[0].read(until: "}", within: 30)
                } else {
                    #expect(try await open[0].readToEnd(within: 30).isEmpty)
                }
            }
        }
    }
}
