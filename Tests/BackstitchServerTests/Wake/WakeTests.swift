import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

/// Apps that do not run are woken by APNs.
@Suite struct WakeTests {
    @Test("a commit wakes the user's device, by the request that Apple documents")
    func request() async throws {
        try await WakeWorld.with { world in
            try await world.client.register()
            try await world.client.subscribeToZone()
            try await world.client.mustSubscribe(.init(subscriptionID: "all", subscriptionType: .database))
            try await world.client.save("A")
            let now = Date().timeIntervalSince1970
            let pushes = try await world.apns.wait(for: 2)
            #expect(try await world.settled() && world.apns.received.count == 2)
            for push in pushes {
                #expect(push.path == "/3/device/\(WakeWorld.token.lowercased())")
                #expect(push.headers["apns-topic"] == FakeAPNs.topic)
                #expect(push.headers["apns-push-type"] == "background" && push.headers["apns-priority"] == "5")
                #expect(UUID(uuidString: push.headers["apns-id"] ?? "") != nil)
                #expect((1...64).contains(push.headers["apns-collapse-id"]?.utf8.count ?? 0))
                let expires = try #require(Double(push.headers["apns-expiration"] ?? ""))
                #expect(abs(expires - now - 86_400) < 60)
                let (header, claims) = try world.apns.open(push.authorization)
                #expect(header["alg"] as? String == "ES256" && header["kid"] as? String == FakeAPNs.keyID)
                #expect(Set(claims.keys) == ["iss", "iat"] && claims["iss"] as? String == FakeAPNs.teamID)
                #expect(abs((claims["iat"] as? Double ?? 0) - now) < 60)
            }
            #expect(Set(pushes.map { $0.headers["apns-id"] }).count == 2)
            #expect(Set(pushes.map { $0.headers["apns-collapse-id"] }).count == 2)
            #expect(Set(pushes.map(\.connection)).count == 1 && Set(pushes.map(\.authorization)).count == 1)
            let texts = pushes.map { String(decoding: $0.body, as: UTF8.self) }.sorted()
            let notifications = try pushes.map { try PushNotification(wireJSON: $0.body) }
            #expect(Set(notifications.map(\.notificationID)).count == 1)
            let begin = #"{"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.test","nid":""#
            #expect(texts.allSatisfy { $0.hasPrefix(begin) && $0.contains(#""ckuserid":"_development""#) }, "\(texts)")
            #expect(texts[0].contains(#""fet":{"sid":"zone","zid":"Z","zoid":"_development","dbs":2}"#), "\(texts)")
            #expect(texts[1].contains(#""met":{"sid":"all","dbs":2}"#), "\(texts)")
        }
    }

    @Test("a subscription with something to be seen or heard is shown, as its notificationInfo says")
    func alert() async throws {
        try await WakeWorld.with { world in
            var info = WireSubscription.NotificationInfo(shouldSendContentAvailable: true)
            info.alertLocalizationKey = "CHANGED"
            info.alertLocalizationArgs = ["Ada", "\"x\""]
            info.alertActionLocalizationKey = "OPEN"
            info.alertLaunchImage = "launch"
            info.soundName = "chime.aiff"
            info.shouldBadge = true
            info.category = "change"
            try await world.client.register(WakeWorld.token, "development")
            try await world.client.subscribeToZone(info)
            let list: SubscriptionsResponse = try await world.client.call(.subscriptionsList)
            guard case .subscription(let kept)? = list.subscriptions.first else { throw TestFailure("\(list)") }
            #expect(kept.notificationInfo == info)
            try await world.client.save("A")
            let push = try await world.apns.wait(for: 1)[0]
            #expect(push.headers["apns-push-type"] == "alert" && push.headers["apns-priority"] == "10")
            let aps = try OIDCProvider.text(push.payload()["aps"] as? [String: Any] ?? [:])
            let alert =
                #"{"action-loc-key":"OPEN","launch-image":"launch","loc-args":["Ada","\"x\""],"loc-key":"CHANGED"}"#
            let rest = #""badge":1,"category":"change","content-available":1,"sound":"chime.aiff""#
            #expect(aps == #"{"alert":\#(alert),\#(rest)}"#)

            world.apns.forget()
            info = .init(shouldSendContentAvailable: false)
            info.alertBody = String(repeating: "ä", count: 1_700)
            try await world.client.subscribeToZone(info, .update)
            try await world.client.save("B")
            let long = try await world.apns.wait(for: 1)[0]
            #expect(long.body.count <= 4_096 && long.headers["apns-push-type"] == "alert")
            let body = (try long.payload()["aps"] as? [String: Any])?["alert"] as? [String: Any]
            #expect(body?["body"] as? String == info.alertBody)
        }
    }

    @Test(
        "a query subscription shows the values of the fields that alertLocalizationArgs name, also when it ends by firing"
    )
    func shownValues() async throws {
        try await WakeWorld.with { world in
            var subscription = WireSubscription(
                subscriptionID: "news", query: RecordQuery(recordType: "Item"), zoneID: TestClient.zone, firesOnce: true
            )
            subscription.notificationInfo = .init()
            subscription.notificationInfo?.alertLocalizationKey = "CHANGED"
            subscription.notificationInfo?.alertLocalizationArgs = ["title", "count", "none"]
            try await world.client.register()
            try await world.client.mustSubscribe(subscription)
            try await world.client.save("A", ["title": .string("Buy thread"), "count": .int64(3)])
            let push = try await world.apns.wait(for: 1)[0]
            let alert = try OIDCProvider.text(
                (push.payload()["aps"] as? [String: Any])?["alert"] as? [String: Any] ?? [:])
            #expect(alert == #"{"loc-args":["Buy thread","3",""],"loc-key":"CHANGED"}"#)
        }
    }

    @Test("of many news of one subscription a device is told the last, and no push is made for the others")
    func lastOnly() async throws {
        try await WakeWorld.with { world in
            try await world.client.register()
            let service = try world.service()
            let scope = RequestScope(
                container: "iCloud.test", environment: "development", database: WakeWorld.database("_development"),
                user: "_development", roles: nil, mayWrite: true, extensions: false,
                limits: service.context.configuration.standardLimits, device: nil, baseURL: "")
            let fired = ["a", "b", "a", "a"].enumerated().map { number, id in
                FiredSubscription(
                    user: "_development", subscriptionID: id,
                    record: RecordFiring(name: "\(number)", change: .update, zone: "Z"))
            }
            let wakes = try await service.context.storage.read { reading in
                let owner = try #require(try reading.owner(scope.database))
                return try service.notifier.dueWakes(["_development": fired], owner, scope, reading)
            }
            #expect(wakes.map(\.fired.record?.name) == ["1", "3"])
        }
    }

    @Test("nobody is woken for changes of its own, for those of others, without a subscription, or without a topic")
    func notWoken() async throws {
        try await WakeWorld.with({
            $0.apns?.topic = nil
            $0.apns?.topics = ["iCloud.test": "org.example.test"]
        }) { world in
            let made: PushToken = try await world.client.call(.tokensCreate, PushToken())
            var device = world.client
            device.device = made.apnsToken
            // The app names the token of its long poll while it runs.
            try await device.register()
            try await world.client.subscribeToZone()
            try await device.save("own")
            device.device = WakeWorld.token.uppercased()
            try await device.save("own too")
            let bob = world.client.user("bob")
            try await bob.makeZone()
            try await bob.save("his")
            try await bob.register(String(repeating: "cd", count: 32))
            try await bob.save("unsubscribed")
            var other = world.client
            other.container = "iCloud.other"
            await expectFailure(.badRequest) { try await other.register() }
            #expect(try await world.settled() && world.apns.received.isEmpty)
            try await world.client.save("another's")
            let push = try await world.apns.wait(for: 1)[0]
            #expect(push.headers["apns-topic"] == "org.example.test")
        }
    }

    @Test("a zone that goes wakes those who watched it, and many changes make few pushes on one connection")
    func many() async throws {
        try await WakeWorld.with { world in
            try await world.client.register()
            try await world.client.subscribeToZone()
            for number in 0..<30 { try await world.client.save("r\(number)") }
            #expect(try await world.settled())
            let pushes = try await world.apns.wait(for: 1)
            #expect(pushes.count <= 30 && Set(pushes.map(\.connection)).count == 1)
            #expect(Set(pushes.map { $0.headers["apns-collapse-id"] }).count == 1)
            let before = pushes.count
            let _: ZonesResponse = try await world.client.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)]))
            let last = try await world.apns.wait(for: before + 1).last
            #expect(try PushNotification(wireJSON: last?.body ?? []).subscriptionID == "zone")
        }
    }

    @Test("pushes that wait when the server stops are sent before it has stopped")
    func stops() async throws {
        try await FakeAPNs.with { apns in
            let configuration = try apns.configuration()
            for number in 1...3 {
                try await withServer({ $0.apns = configuration }) { client, _ in
                    try await client.makeZone()
                    try await client.register()
                    try await client.subscribeToZone()
                    try await client.save("A")
                }
                #expect(apns.received.count == number)
            }
        }
    }

    @Test("of two servers on a database one sends the push for a commit, whichever the device has registered at")
    func peers() async throws {
        try await FakeAPNs.with { apns in
            let configuration = try apns.configuration()
            try await StorageKind.postgreSQL.withPlace { place in
                try await withServer({
                    $0.storage = place
                    $0.apns = configuration
                }) { first, _ in
                    try await withServer({
                        $0.storage = place
                        $0.apns = configuration
                    }) { second, _ in
                        try await first.makeZone()
                        try await first.register()
                        try await first.subscribeToZone()
                        try await second.save("A")
                        _ = try await apns.wait(for: 1)
                        try await first.save("B")
                        _ = try await apns.wait(for: 2)
                    }
                }
            }
            // Both have stopped, and so have sent all their pushes.
            #expect(apns.received.count == 2)
        }
    }

    @Test("no log and no answer has a token of a device, the key, or the server's own token")
    func secrets() async throws {
        let lines = Locked<[String]>([])
        try await WakeWorld.with({
            $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
            $0.logger.logLevel = .trace
            $0.logsRequests = true
            $0.clock = JumpingClock()
        }) { world in
            try await world.client.register()
            try await world.client.subscribeToZone()
            world.apns.answer(
                .init(status: 503, reason: "ServiceUnavailable"), .init(status: 400, reason: "BadTopic"))
            try await world.client.save("A")
            let pushes = try await world.apns.wait(for: 2)
            #expect(try await eventually { lines.withLock { $0.contains { $0.contains("BadTopic") } } })
            let log = lines.withLock { $0.joined(separator: "\n").lowercased() }
            let apns = try world.apns.configuration()
            for secret in [
                WakeWorld.token, String(pushes[0].authorization.dropFirst("bearer ".count)),
                apns.key.pem.split(separator: "\n").map(String.init)[1],
            ] { #expect(!log.contains(secret.lowercased())) }
            var shown = ""
            dump(apns, to: &shown)
            #expect(!shown.contains(apns.key.pem.prefix(60)) && !"\(apns)\(apns.key)".contains("PRIVATE"))
        }
    }
}
