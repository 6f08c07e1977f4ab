import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Testing

@testable import BackstitchServer

/// Tests of how much work it is to tell devices of a commit.
extension PushTests {
    /// Subscribes `count` times to a zone.
    private func subscribe(_ client: TestClient, to zone: String, _ count: Int) async throws {
        for number in 0..<count {
            try await subscribe(
                client,
                WireSubscription(
                    subscriptionID: "\(zone) \(number)", subscriptionType: .zone, zoneID: ZoneID(zoneName: zone)))
        }
    }

    @Test("many subscriptions cost a request one look-up of them and one of the devices, after its commit")
    func costs() async throws {
        try await withServer { client, server in
            for zone in ["Y", "Z"] { try await client.makeZone(zone) }
            let devices = [try await device(client), try await device(client)]
            try await subscribe(client, to: "Y", 3)
            try await subscribe(client, to: "Z", 12)
            let statements = try await StatementCount(server)
            let changes = ["Y", "Z"].map { zone in
                RecordOperation(
                    .create, WireRecord(recordName: "r", recordType: "Item", zoneID: ZoneID(zoneName: zone)))
            }
            #expect(try await client.modify(changes, zone: nil).allSatisfy { $0.error == nil })
            await server.state.withLock { $0.service }?.context.push.stage.settle()
            let all = statements.takeAll()
            let looks = all.indices.filter { all[$0].contains("FROM subscription") }
            #expect(looks.count == 1)
            #expect(all.count { $0.contains("JOIN push_token") } == 1)
            let written = try #require(all.lastIndex { $0.contains("INSERT INTO record") })
            let committed = try #require(all[written...].firstIndex { $0.hasPrefix("COMMIT") })
            #expect(try #require(looks.first) > committed)

            // The same again says nothing new to who has not looked yet.
            for number in 0..<3 { try await client.save("s\(number)") }
            for (client, url) in devices {
                var heard: [String?] = []
                while let notification = try await poll(client, url, wait: 0), heard.count < 100 {
                    heard.append(notification.subscriptionID)
                }
                #expect(heard.count == 15 && Set(heard).count == 15)
            }
        }
    }

    @Test("who must hear of a change is looked up outside the writer")
    func outsideTheWriter() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, server in
                try await client.makeZone()
                let (reader, url) = try await device(client)
                try await subscribe(client, to: "Z", 5)
                let statements = try await StatementCount(server)
                try await client.save("A")
                let written = statements.takeAll()
                #expect(written.contains { $0.contains("INSERT INTO record") })
                #expect(!written.contains { $0.contains("subscription") || $0.contains("push_token") })
                #expect(try await poll(reader, url, wait: 0)?.subscriptionID == "Z 0")
            }
        }
    }

    @Test("polls count among the requests of the token's user, each once, however long it waits")
    func rate() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.userQuotas.requestsPerSecond = 2
            $0.clock = clock
        }) { client, _ in
            let (reader, url) = try await device(client)
            let (other, otherURL) = try await device(client.user("other"))
            // The token was a request, too.
            for _ in 0..<19 { #expect(try await poll(reader, url, wait: 0) == nil) }
            let error = await expectFailure(.throttled) { try await poll(reader, url, wait: 30) }
            #expect(error?.retryAfter == 1)
            #expect(try await client.raw(.zonesList, "{}").status == 429)
            #expect(try await poll(other, otherURL, wait: 0) == nil)
            clock.advance(by: 1_000)
            #expect(try await poll(reader, url, wait: 0) == nil)
        }
    }
}
