import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import BackstitchServer

/// Bodies that are announced and do not come, or come slowly, take nothing from others.
@Suite("bodies that do not come") struct SlowBodyTests {
    private func head(_ user: String, _ count: Int) -> String {
        let path = "/database/1/iCloud.test/development/private/records/modify"
        return "POST \(path)?ckWebAuthToken=\(user) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Length: \(count)\r\n\r\n"
    }

    /// Connections of three users with begun bodies. Of each body, this many bytes are sent.
    private func begin(_ client: TestClient, announcing count: Int, sending bytes: Int) async throws -> [RawConnection]
    {
        var connections: [RawConnection] = []
        for number in 0..<18 {
            let connection = try RawConnection(client.base)
            try await connection.send(head("mallory\(number % 3)", count) + String(repeating: " ", count: bytes))
            connections.append(connection)
        }
        return connections
    }

    @Test("announced bytes take no room: others push beside 18 requests that announce 8 MB each, and send a byte")
    func announced() async throws {
        try await withServer { client, server in
            let alice = client.user("alice"), ledger = try server.working.context.ledger
            try await alice.makeZone()
            let slow = try await begin(client, announcing: 8 << 20, sending: 1)
            defer { for connection in slow { connection.end() } }
            #expect(
                try await eventually {
                    (0..<3).allSatisfy { ledger.held(.bytes, of: "mallory\($0)") == 6 }
                })
            let text = WireValue.string(String(repeating: "x", count: 500_000))
            for number in 0..<20 { try await alice.save("r\(number)", ["text": text]) }
        }
    }

    @Test("bytes that have come take half of the room at most, so that small requests of others find some")
    func sent() async throws {
        let room = 8 << 20
        try await withServer({ $0.bytesAtOnce = room }) { client, server in
            let alice = client.user("alice"), ledger = try server.working.context.ledger
            try await alice.makeZone()
            let slow = try await begin(client, announcing: 2 << 20, sending: 1 << 20)
            defer { for connection in slow { connection.end() } }
            func held() -> Int { (0..<3).reduce(0) { $0 + ledger.held(.bytes, of: "mallory\($1)") } }
            #expect(try await eventually { held() > room / 2 - 3 * (1 << 20) })
            for number in 0..<40 {
                try await alice.save("r\(number)", ["text": .string(String(repeating: "x", count: 20_000))])
                #expect(held() <= room / 2 + 3 * room / 128)
            }
        }
    }

    @Test("a body that comes more slowly than it must ends with its connection, and one that comes faster is answered")
    func pace() async throws {
        try await withServer({
            $0.bodyPace = BodyPace(bytesPerSecond: 100, grace: .milliseconds(300), longestPause: .seconds(20))
        }) { client, _ in
            func send(_ piece: String, every pause: Duration, _ connection: RawConnection) async throws {
                for _ in 0..<20 {
                    try await connection.send(piece)
                    try await Task.sleep(for: pause)
                }
            }
            let slow = try RawConnection(client.base), fast = try RawConnection(client.base)
            defer {
                slow.end()
                fast.end()
            }
            try await slow.send(head("mallory", 1_000))
            let trickle = Task { try await send(" ", every: .milliseconds(100), slow) }
            #expect(try await slow.readToEnd(within: 60).isEmpty)
            trickle.cancel()
            // Sent after it has ended, so it ended long before all had come.
            await #expect(throws: (any Error).self) { for _ in 0..<100 { try await slow.send(" ") } }
            let body = #"{"operations":[]}"#
            try await fast.send(head("alice", 20 * 1_000 + body.utf8.count))
            try await send(String(repeating: " ", count: 1_000), every: .milliseconds(50), fast)
            try await fast.send(body)
            #expect(try await fast.readToEnd(within: 60).hasPrefix("HTTP/1.1 "))
        }
    }

    @Test("the time in which bytes must come is as they come, and never longer than a pause may be")
    func deadlines() {
        let pace = BodyPace(), start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        let first = start + pace.grace
        // A kilobyte is a second.
        #expect(pace.deadline(after: 1_024, at: start, before: first) == start + .seconds(3))
        #expect(pace.deadline(after: 20, at: start, before: first) < start + .milliseconds(2_020))
        #expect(pace.deadline(after: 8 << 20, at: start, before: first) == start + .seconds(10))
        #expect(pace.deadline(after: .max, at: start, before: first) == start + .seconds(10))
        // Bytes that are noticed late count from their arrival.
        #expect(pace.deadline(after: 1_024, at: start + .seconds(9), before: first) == start + .seconds(10))
    }
}
