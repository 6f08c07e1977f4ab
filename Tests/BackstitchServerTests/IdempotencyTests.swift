import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import Testing

@testable import BackstitchServer

@Suite struct IdempotencyTests {
    @Test("a request that comes again with its key is answered alike and done once", arguments: StorageKind.allCases)
    func replay(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            let body = try RecordsModifyRequest(
                zoneID: TestClient.zone, operations: [create("A", ["n": .int64(1)]), create("B")], idempotencyKey: "k1"
            ).wireJSON()
            let path = WireEndpoint.recordsModify.path(container: client.container, environment: client.environment)
            let first = try await client.raw(path, body)
            let token = try await client.page().syncToken
            let second = try await client.raw(path, body)
            #expect(first.status == 200)
            #expect(second.body == first.body)
            #expect(try await client.page(token).records.isEmpty)
        }
    }

    @Test("the same key with another body is refused and changes nothing")
    func otherBody() async throws {
        try await withServer { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            try await client.modify([create("A")], key: "k1")
            let error = await expectFailure(.badRequest) { try await client.modify([create("B")], key: "k1") }
            #expect(error?.reason.contains("k1") == true)
            #expect(try await client.lookup(["B"])[0].error?.code == .notFound)
            let other = try await client.user("other").makeZone()
            #expect(other.zoneID.zoneName == "Z")
            let results = try await client.user("other").modify([create("B")], key: "k1")
            #expect(results[0].error == nil, "a key belongs to its user")
        }
    }

    @Test("an answer that changed nothing is not kept")
    func failureIsNotKept() async throws {
        try await withServer { plain, _ in
            let client = plain.extended()
            let before = try await client.modify([create("A")], key: "k1")
            #expect(before[0].error?.code == .zoneNotFound)
            try await client.makeZone()
            #expect(try await client.modify([create("A")], key: "k1")[0].error == nil)
        }
    }

    @Test("a key of no length, or of too much, is refused; without extensions keys mean nothing")
    func keys() async throws {
        try await withServer { plain, _ in
            try await plain.makeZone()
            for key in ["", String(repeating: "k", count: 129)] {
                _ = await expectFailure(.badRequest) { try await plain.extended().modify([create("A")], key: key) }
            }
            try await plain.modify([create("A")], key: "k")
            #expect(try await plain.modify([create("A")], key: "k")[0].error?.code == .conflict)
        }
    }

    @Test("a commit whose answer was lost is not done again")
    func lostAnswer() async throws {
        let isFirst = Locked(true)
        let faults = FaultInjector { request in
            guard request.endpoint == "records/modify" else { return nil }
            return isFirst.withLock { first in
                defer { first = false }
                return first ? .dropResponse : nil
            }
        }
        try await withServer({ $0.faults = faults }) { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            await #expect(throws: (any Error).self) { try await client.modify([create("A")], key: "push-1") }
            let token = try await client.page().syncToken
            #expect(try await client.lookup(["A"])[0].error == nil, "the commit was made before the connection was cut")
            let results = try await client.modify([create("A")], key: "push-1")
            #expect(results[0].error == nil)
            #expect(try await client.page(token).records.isEmpty)
        }
    }

    @Test("the same key from several connections at once is done once")
    func atOnce() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { plain, _ in
                let client = plain.extended()
                try await client.makeZone()
                let tags = try await withThrowingTaskGroup(of: String?.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try await client.modify([create("A")], key: "k")[0].record().recordChangeTag }
                    }
                    return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
                }
                #expect(tags.count == 1)
            }
        }
    }

    @Test("kept answers go after their time, and not before")
    func pruning() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.clock = clock
            $0.idempotencyRetention = 100
        }) { plain, server in
            let client = plain.extended()
            try await client.makeZone()
            try await client.modify([create("A")], key: "k")
            clock.advance(by: 99 * 1_000)
            try await server.cleanUp()
            #expect(try await client.modify([create("A")], key: "k")[0].error == nil)
            clock.advance(by: 2 * 1_000)
            try await server.cleanUp()
            #expect(try await client.modify([create("A")], key: "k")[0].error?.code == .conflict)
        }
    }

    @Test("faults on purpose: refusals with a time to wait, delays, cut connections")
    func faults() async throws {
        let next = Locked<FaultInjector.Fault?>(nil)
        try await withServer({ $0.faults = FaultInjector { _ in next.withLock { $0 } } }) { client, _ in
            next.withLock { $0 = .throttled(retryAfter: 7) }
            let slow = try await client.raw(.zonesList, "{}")
            #expect(slow.status == 429)
            #expect(slow.headers["Retry-After"] == ["7"])
            #expect(try WireError(wireJSON: slow.body).retryAfter == 7)
            next.withLock { $0 = .unavailable(retryAfter: 3) }
            #expect(await expectFailure(.tryAgainLater) { try await client.makeZone() }?.retryAfter == 3)
            next.withLock { $0 = .dropConnection }
            await #expect(throws: (any Error).self) { try await client.makeZone() }
            next.withLock { $0 = .delay(milliseconds: 50) }
            let start = ContinuousClock.now
            let list: ZonesResponse = try await client.call(.zonesList)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(list.zones.count == 1, "the dropped request was not handled")
        }
    }
}
