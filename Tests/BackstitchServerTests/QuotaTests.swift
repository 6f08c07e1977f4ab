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

/// Tests of users' quotas, and of the room that deletions give back.
@Suite struct QuotaTests {
    private func withQuotas(
        _ change: (inout UserQuotas) -> Void, _ body: (TestClient, ZoneServer) async throws -> Void
    ) async throws {
        try await withServer({ change(&$0.userQuotas) }) { try await body($0.extended(), $1) }
    }

    private func usage(_ server: ZoneServer, _ client: TestClient, user: String = "_development") async throws
        -> StoredUsage
    {
        let service = try #require(server.state.withLock { $0.service })
        return try await service.context.storage.read { reading in
            let key = DatabaseKey(tenant: "\(client.container)/development", scope: .private, owner: user)
            return try reading.owner(key).map { try reading.usage(tenantID: $0.tenantID, user: user) } ?? StoredUsage()
        }
    }

    @Test("records beyond the quota are refused, and taken when others are deleted")
    func records() async throws {
        try await withQuotas({ $0.records = 3 }) { client, _ in
            try await client.makeZone()
            try await client.modify(["a", "b"].map { create($0) })
            let error = await expectFailure(.quotaExceeded) { try await client.modify(["c", "d"].map { create($0) }) }
            #expect(error?.reason.contains("3 records") == true)
            #expect(try await client.follow().records.count == 2)
            try await client.save("c")
            // Records that are there may be changed and deleted.
            try await client.save(.forceUpdate, "a", ["n": .int64(1)])
            _ = await expectFailure(.quotaExceeded) { try await client.save("d") }
            try await client.save(.forceDelete, "a")
            try await client.save("d")
            #expect(try await client.user("other").makeZone().zoneID.zoneName == "Z")
        }
    }

    @Test("bytes beyond the quota are refused; what shrinks is taken")
    func bytes() async throws {
        try await withQuotas({ $0.bytes = 10_000 }) { client, _ in
            let text = WireValue.string(String(repeating: "x", count: 4_000))
            try await client.makeZone()
            try await client.modify(["a", "b"].map { create($0, ["t": text]) })
            _ = await expectFailure(.quotaExceeded) { try await client.save("c", ["t": text]) }
            _ = await expectFailure(.quotaExceeded) {
                try await client.save(.forceUpdate, "a", ["u": text])
            }
            try await client.save(.forceReplace, "a", ["n": .int64(1)])
            try await client.save("c", ["t": text])
        }
    }

    @Test("zones beyond the quota are refused, and taken when one is deleted")
    func zones() async throws {
        try await withQuotas({ $0.zones = 2 }) { client, _ in
            try await client.makeZone("A")
            try await client.makeZone("B")
            func make(_ name: String) async throws -> ZoneResult? {
                let answer: ZonesResponse = try await client.call(
                    .zonesModify, ZonesModifyRequest(operations: [.init(.create, ZoneID(zoneName: name))]))
                return answer.zones.first
            }
            guard case .error(let error)? = try await make("C") else { throw TestFailure("taken") }
            #expect(error.error.code == .quotaExceeded)
            guard case .zone? = try await make("A") else { throw TestFailure("one that is there") }
            let deletion = ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: "A"))])
            _ = try await client.call(.zonesModify, deletion, as: ZonesResponse.self)
            guard case .zone? = try await make("C") else { throw TestFailure("there is room") }
        }
    }

    @Test("a database has at most ten times its quota of zones, counted with the deleted ones")
    func deletedZones() async throws {
        try await withQuotas({ $0.zones = 2 }) { client, server in
            func modify(_ name: String, _ type: ZonesModifyRequest.Operation.Kind) async throws -> ZoneResult? {
                let answer: ZonesResponse = try await client.call(
                    .zonesModify, ZonesModifyRequest(operations: [.init(type, ZoneID(zoneName: name))]))
                // Their rows are removed, so that only the memory of them counts.
                try await server.cleanUp()
                return answer.zones.first
            }
            for number in 1...20 {
                guard case .zone? = try await modify("Z\(number)", .create) else { throw TestFailure("\(number)") }
                guard case .zone? = try await modify("Z\(number)", .delete) else { throw TestFailure("\(number)") }
            }
            guard case .error(let error)? = try await modify("Z21", .create) else { throw TestFailure("taken") }
            #expect(error.error.code == .quotaExceeded)
            #expect(error.error.reason.contains("20 zones and deleted zones"))
        }
    }

    @Test("subscriptions beyond the quota are refused; one that is there may be changed")
    func subscriptions() async throws {
        try await withQuotas({ $0.subscriptions = 3 }) { client, _ in
            let operations = (0..<5).map { number in
                SubscriptionsModifyRequest.Operation(
                    .create, .init(subscriptionID: "s\(number)", subscriptionType: .database))
            }
            for _ in 0..<2 {
                let answer: SubscriptionsResponse = try await client.call(
                    .subscriptionsModify, SubscriptionsModifyRequest(operations: operations))
                let codes = answer.subscriptions.map {
                    if case .error(_, let error) = $0 { error.code } else { WireErrorCode?.none }
                }
                #expect(codes == [nil, nil, nil, .quotaExceeded, .quotaExceeded])
            }
        }
    }

    @Test("a further push token takes the place of the one that was not in use for longest")
    func pushTokens() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.userQuotas.pushTokens = 2
            $0.clock = clock
        }) { client, server in
            var urls: [String] = []
            for _ in 0..<4 {
                clock.advance(by: 1_000)
                let made: PushToken = try await client.call(.tokensCreate, PushToken())
                urls.append(try #require(made.webcourierURL))
            }
            var statuses: [Int] = []
            for url in urls { statuses.append(try await client.send("\(url)&wait=0", method: .GET).status) }
            #expect(statuses == [404, 404, 200, 200])
        }
    }

    @Test("a user with as many devices and subscriptions as may be has each device told once, and soon")
    func recipients() async throws {
        try await withQuotas({ _ in }) { client, server in
            try await client.makeZone()
            let service = try #require(server.state.withLock { $0.service })
            for _ in 0..<UserQuotas().pushTokens {
                let _: PushToken = try await client.call(.tokensCreate, PushToken())
            }
            let operations = (0..<UserQuotas().subscriptions).map { number in
                SubscriptionsModifyRequest.Operation(
                    .create, .init(subscriptionID: "s\(number)", subscriptionType: .database))
            }
            let _: SubscriptionsResponse = try await client.call(
                .subscriptionsModify, SubscriptionsModifyRequest(operations: operations))
            try await client.save("warm")
            let start = ContinuousClock.now
            for number in 0..<10 { try await client.save("r\(number)") }
            // Two seconds on two free cores. Once for each device and subscription, it took minutes.
            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(service.context.push.hub.waiting == 0)
        }
    }

    @Test("kept answers beyond the quota take the place of the oldest")
    func answers() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.userQuotas.keptAnswers = 5
            $0.clock = clock
        }) { client, server in
            let client = client.extended()
            try await client.makeZone()
            for number in 0..<20 {
                clock.advance(by: 1_000)
                try await client.modify([create("r\(number)")], key: "k\(number)")
            }
            #expect(try await usage(server, client).answers == 5)
            // The newest is remembered, the oldest is not.
            #expect(try await client.modify([create("r19")], key: "k19")[0].error == nil)
            #expect(try await client.modify([create("r0")], key: "k0")[0].error?.code == .conflict)
        }
    }

    @Test("containers that nobody has declared are so many a user")
    func databases() async throws {
        try await withQuotas({ $0.databases = 2 }) { client, _ in
            var client = client
            for (number, expected) in [nil, nil, WireErrorCode.quotaExceeded].enumerated() {
                client.container = "iCloud.\(number)"
                let answer: ZonesResponse = try await client.call(
                    .zonesModify, ZonesModifyRequest(operations: [.init(.create, TestClient.zone)]))
                if case .error(let error)? = answer.zones.first {
                    #expect(error.error.code == expected)
                } else {
                    #expect(expected == nil)
                }
            }
            _ = await expectFailure(.quotaExceeded) { try await client.on("public").save("a", zone: nil) }
            client.container = "iCloud.1"
            try await client.save("a")
        }
    }

    @Test("requests beyond so many a second are throttled, with the time to wait, and another user's are not")
    func rate() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.userQuotas.requestsPerSecond = 2
            $0.clock = clock
        }) { client, _ in
            for _ in 0..<20 { let _: ZonesResponse = try await client.call(.zonesList) }
            let answer = try await client.raw(.zonesList, "{}")
            #expect(answer.status == 429)
            let error = try WireError(wireJSON: answer.body)
            #expect(error.code == .throttled)
            #expect(error.retryAfter == 1)
            #expect(answer.headers["Retry-After"].first == "1")
            let _: ZonesResponse = try await client.user("other").call(.zonesList)
            clock.advance(by: 1_000)
            for _ in 0..<2 { let _: ZonesResponse = try await client.call(.zonesList) }
            #expect(try await client.raw(.zonesList, "{}").status == 429)
        }
    }

    @Test(
        "whatever changes a table, the counts are those of its rows", arguments: [1, 2, 3] as [UInt64],
        StorageKind.allCases)
    func counts(_ seed: UInt64, _ kind: StorageKind) async throws {
        print("counted: usage seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let clock = VirtualClock()
        try await withServer(
            on: kind,
            {
                $0.clock = clock
                $0.tombstoneRetention = 100
            }
        ) { client, server in
            let client = client.extended()
            let zones = ["A", "B"]
            for zone in zones { try await client.makeZone(zone) }
            for step in 0..<120 {
                clock.advance(by: 1_000)
                let zone = zones[random.below(2)]
                let name = "r\(random.below(12))"
                let fields: [String: WireValue?] = [
                    "t": .string(String(repeating: "x", count: random.below(300)))
                ]
                switch random.below(10) {
                case 0...4:
                    try await client.modify([operation(.forceReplace, name, fields)], zone: zone, key: "k\(step)")
                case 5...7: try await client.modify([operation(.forceDelete, name)], zone: zone)
                case 8: try await client.user("other").makeZone(zone)
                default:
                    try await server.cleanUp()
                    if random.below(3) == 0 {
                        let deletion = ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: zone))])
                        _ = try await client.call(.zonesModify, deletion, as: ZonesResponse.self)
                        try await client.makeZone(zone)
                    }
                }
            }
            let service = try #require(server.state.withLock { $0.service })
            let found = try await service.context.storage.read { reading in
                var found = StoredUsage()
                let key = DatabaseKey(tenant: "\(client.container)/development", scope: .private, owner: "_development")
                let owner = try #require(try reading.owner(key))
                for zone in try reading.liveZones(owner) {
                    let query = FeedQuery(cursor: 0, limit: .max, bytes: .max, takesLargeCommit: true, reverse: false)
                    for record in try reading.page(zone, query).records {
                        found.bytes += record.fields.count + 400
                        found.records += record.deleted ? 0 : 1
                    }
                }
                return found
            }
            var counted = try await usage(server, client)
            #expect(counted.answers > 0)
            (counted.answers, counted.answerBytes) = (0, 0)
            #expect(counted == found)
        }
    }
}

extension SeededGenerator {
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
