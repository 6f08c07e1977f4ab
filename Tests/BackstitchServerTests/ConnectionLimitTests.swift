import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Connections that nobody uses do not keep others out.
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
            // The server notes that an answer has ended a moment after its first byte: neighbours may change places.
            for connection in waiting.prefix(12) { _ = try await connection.readToEnd(within: 30) }
            try await waiting[19].send(list + "\r\n")
            try await waiting[19].receive()
            // Others of the same address are served all the same.
            for _ in 0..<10 { let _: ZonesResponse = try await client.call(.zonesList) }
        }
    }

    @Test("requests that are answered are not cut for new connections, which are refused")
    func busyConnections() async throws {
        try await withServer({ $0.connectionsPerAddress = 2 }) { client, server in
            let upload = "POST /database/1/iCloud.test/development/private/zones/modify HTTP/1.1\r\n"
            let busy = try (0..<2).map { _ in try RawConnection(client.base) }
            defer { for connection in busy { connection.end() } }
            for connection in busy {
                try await connection.send(
                    upload + "Host: localhost\r\nConnection: close\r\nContent-Length: 17\r\n\r\n{")
            }
            let ledger = try #require(server.state.withLock { $0.service }).ledger
            #expect(try await eventually { ledger.held(.requests, of: Authenticator.developmentUser) == 2 })
            let refused = try RawConnection(client.base)
            defer { refused.end() }
            #expect(try await refused.readToEnd(within: 30).isEmpty)
            for connection in busy {
                try await connection.send("\"operations\":[]}")
                #expect(try await connection.readToEnd(within: 30).hasPrefix("HTTP/1.1 200"))
            }
        }
    }
}
