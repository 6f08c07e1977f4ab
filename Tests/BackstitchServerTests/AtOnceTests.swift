import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// How much a user may have under way at a time, and that it comes back.
@Suite("at the same time") struct AtOnceTests {
    private func head(_ path: String, _ count: Int, user: String = "mallory") -> String {
        "POST \(path)?ckWebAuthToken=\(user) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(count)\r\n\r\n"
    }

    private let list = "/database/1/iCloud.test/development/private/zones/list"

    private func code(_ answer: TestAnswer) throws -> WireErrorCode? {
        answer.status == 200 ? nil : try WireError(wireJSON: answer.body).code
    }

    /// Waits until the server says `expected` to a question.
    private func until(
        _ expected: WireErrorCode?, sourceLocation: SourceLocation = #_sourceLocation,
        _ ask: () async throws -> TestAnswer
    ) async throws {
        #expect(try await eventually { try code(try await ask()) == expected }, sourceLocation: sourceLocation)
    }

    /// Waits until the server has let mallory's slow request in. A second request of the same user meanwhile would be
    /// throttled instead.
    private func untilHeld(
        _ count: Int, _ thing: UserLedger.Thing, _ server: ZoneServer, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let service = try #require(server.state.withLock { $0.service })
        #expect(
            try await eventually { service.context.ledger.held(thing, of: "mallory") == count },
            sourceLocation: sourceLocation)
    }

    @Test("requests beyond so many are throttled until one ends; another user's are not")
    func requests() async throws {
        try await withServer({ $0.userQuotas.requestsAtOnce = 1 }) { client, server in
            let slow = try RawConnection(client.base)
            defer { slow.end() }
            try await slow.send(head(list, 2))
            try await untilHeld(1, .requests, server)
            let mallory = client.user("mallory")
            #expect(try code(try await mallory.raw(.zonesList, "{}")) == .throttled)
            let answer = try await mallory.raw(.zonesList, "{}")
            #expect(try WireError(wireJSON: answer.body).retryAfter != nil && answer.status == 429)
            let _: ZonesResponse = try await client.user("alice").call(.zonesList)
            try await slow.send("{}")
            #expect(try await slow.readToEnd(within: 30).hasPrefix("HTTP/1.1 200"))
            try await until(nil) { try await mallory.raw(.zonesList, "{}") }
        }
    }

    @Test("bytes of requests beyond so many are throttled for their user until some go; another user's are not")
    func bytes() async throws {
        // Of all users together there is room for far more.
        try await withServer({ $0.userQuotas.bytesAtOnce = 400_000 }) { client, server in
            let slow = try RawConnection(client.base)
            defer { slow.end() }
            try await slow.send(head(list, 300_001) + String(repeating: " ", count: 300_000))
            try await untilHeld(300_000, .bytes, server)
            let body = String(repeating: " ", count: 250_000)
            let mallory = client.user("mallory"), alice = client.user("alice")
            #expect(try code(try await mallory.raw(.zonesList, body)) == .throttled)
            #expect(try code(try await mallory.raw(.zonesList, "{}")) == nil)
            #expect(try code(try await alice.raw(.zonesList, body)) == nil)
            slow.end()
            try await until(nil) { try await mallory.raw(.zonesList, body) }
            // One alone may have more than that: how large it may be is said elsewhere.
            #expect(try code(try await alice.raw(.zonesList, String(repeating: " ", count: 500_000))) == nil)
        }
    }

    @Test("an answer counts for its user until the client has read it")
    func unreadAnswer() async throws {
        // More than the system's buffers hold of an unread answer.
        try await withServer({ $0.extendedLimits.answer = 40 << 20 }) { client, server in
            let mallory = client.user("mallory").extended()
            let (connection, count) = try await mallory.askForLargeAnswer()
            defer { connection.end() }
            // Time for the server to be through with it, if it were.
            for _ in 0..<20 { let _: ZonesResponse = try await mallory.call(.zonesList) }
            let ledger = try server.working.context.ledger
            #expect(ledger.held(.bytes, of: "mallory") > count)
            #expect(try await connection.readToEnd(within: 60).utf8.count > count)
            #expect(try await eventually { ledger.held(.bytes, of: "mallory") == 0 })
        }
    }

    @Test("with more bytes of all users' requests than there is room for the server is busy until some go")
    func bytesOfAll() async throws {
        try await withServer({ $0.bytesAtOnce = 500_000 }) { client, server in
            let slow = try RawConnection(client.base)
            defer { slow.end() }
            try await slow.send(head(list, 300_001) + String(repeating: " ", count: 300_000))
            try await untilHeld(300_000, .bytes, server)
            let body = String(repeating: " ", count: 250_000)
            let mallory = client.user("mallory"), alice = client.user("alice")
            // Beyond half of the room each user has a small share only.
            #expect(try code(try await alice.raw(.zonesList, body)) == .throttled)
            let busy = try await alice.raw(.zonesList, body)
            #expect(try WireError(wireJSON: busy.body).retryAfter != nil)
            #expect(try code(try await mallory.raw(.zonesList, "{}")) == .throttled)
            #expect(try code(try await alice.raw(.zonesList, "{}")) == nil)
            slow.end()
            try await until(nil) { try await alice.raw(.zonesList, body) }
            #expect(try code(try await alice.raw(.zonesList, String(repeating: " ", count: 550_000))) == nil)
        }
    }

    @Test("uploads beyond so many are throttled until one ends, and those that no record has taken count as bytes")
    func uploads() async throws {
        try await withServer({
            $0.userQuotas.uploads = 1
            $0.userQuotas.bytes = 10_000
        }) { client, server in
            let mallory = client.user("mallory")
            func address() async throws -> String {
                let given: AssetUploadResponse = try await mallory.call(
                    .assetsUpload, AssetUploadRequest(tokens: [.init(recordName: nil, recordType: nil, fieldName: "f")])
                )
                return given.tokens[0].url
            }
            let first = try await address()
            let path = first.dropFirst(client.base.count)
            let slow = try RawConnection(client.base)
            defer { slow.end() }
            try await slow.send(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 6000\r\n\r\n")
            try await untilHeld(1, .uploads, server)
            let url = try await address()
            #expect(try code(try await client.send(url, body: [1])) == .throttled)
            try await slow.send(String(repeating: "x", count: 6_000))
            #expect(try await slow.readToEnd(within: 30).hasPrefix("HTTP/1.1 200"))
            try await until(.quotaExceeded) { try await client.send(url, body: [UInt8](repeating: 1, count: 5_000)) }
            try await until(nil) { try await client.send(url, body: [1]) }
        }
    }

    @Test("bytes of kept answers beyond the quota take the place of the oldest")
    func answerBytes() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.userQuotas.keptAnswerBytes = 12_000
            $0.clock = clock
        }) { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            let text = WireValue.string(String(repeating: "x", count: 4_000))
            for number in 0..<6 {
                clock.advance(by: 1_000)
                try await client.modify([create("r\(number)", ["t": text])], key: "k\(number)")
            }
            #expect(try await client.modify([create("r5", ["t": text])], key: "k5")[0].error == nil)
            #expect(try await client.modify([create("r0", ["t": text])], key: "k0")[0].error?.code == .conflict)
            let service = try #require(server.state.withLock { $0.service })
            let usage = try await service.context.storage.read { reading in
                let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "_development")
                let owner = try #require(try reading.owner(key))
                return try reading.usage(tenantID: owner.tenantID, user: "_development")
            }
            #expect(usage.answers == 2 && usage.answerBytes <= 12_000)
        }
    }

    @Test("assets count as bytes of who uses them, once a record has them and until it goes")
    func assetBytes() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.userQuotas.bytes = 10_000
            $0.clock = clock
        }) { client, _ in
            try await client.makeZone()
            func send(_ byte: UInt8) async throws -> TestAnswer {
                let given: AssetUploadResponse = try await client.call(
                    .assetsUpload, AssetUploadRequest(tokens: [.init(recordName: nil, recordType: nil, fieldName: "f")])
                )
                return try await client.send(given.tokens[0].url, body: [UInt8](repeating: byte, count: 6_000))
            }
            let receipt = try AssetUploadReceipt(wireJSON: try await send(1).body)
            try await client.save("a", ["f": .asset(receipt.singleFile)])
            // The upload itself is forgotten by then; the record's asset is not.
            clock.advance(by: 3_600 * 1_000)
            #expect(try code(try await send(2)) == .quotaExceeded)
            try await client.save(.forceDelete, "a")
            #expect(try code(try await send(2)) == nil)
        }
    }
}
