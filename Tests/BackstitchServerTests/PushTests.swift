import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct PushTests {
    func device(_ client: TestClient) async throws -> (client: TestClient, url: String) {
        let made: PushToken = try await client.call(.tokensCreate, PushToken(apnsEnvironment: "development"))
        var copy = client
        let token: String = try #require(made.apnsToken)
        copy.device = token
        return (copy, try #require(made.webcourierURL))
    }

    func subscribe(_ client: TestClient, _ subscription: WireSubscription) async throws {
        let answer: SubscriptionsResponse = try await client.call(
            .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(.create, subscription)]))
        guard case .subscription = answer.subscriptions[0] else { throw TestFailure("\(answer)") }
    }

    private let onZone = WireSubscription(
        subscriptionID: "zone", subscriptionType: .zone, zoneID: TestClient.zone, notificationInfo: .init())
    private let onDatabase = WireSubscription(subscriptionID: "database", subscriptionType: .database)

    func poll(_ client: TestClient, _ url: String, wait: Int = 10) async throws -> PushNotification? {
        let answer = try await client.send("\(url)&wait=\(wait)", method: .GET)
        guard answer.status == 200 else { throw try WireError(wireJSON: answer.body) }
        return answer.body.isEmpty ? nil : try PushNotification(wireJSON: answer.body)
    }

    @Test("a waiting poll hears of a change at once, and the device that made it does not")
    func wakes() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            let (writer, writerURL) = try await device(client)
            let (reader, readerURL) = try await device(client)
            try await subscribe(client, onZone)
            async let heard = poll(reader, readerURL, wait: 30)
            let service = try #require(server.state.withLock { $0.service })
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            let start = ContinuousClock.now
            try await writer.save("A")
            let notification = try await heard
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(notification?.subject == .zone(ZoneID(zoneName: "Z", ownerRecordName: "_development")))
            #expect(notification?.subscriptionID == "zone")
            #expect(notification?.container == "iCloud.test")
            #expect(notification?.userRecordName == "_development")
            #expect(try await poll(writer, writerURL, wait: 0) == nil)
        }
    }

    @Test("changes while nobody polls wait in the mailbox, one for each subscription, oldest first")
    func mailbox() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let (reader, url) = try await device(client)
            try await subscribe(client, onZone)
            for name in ["A", "B", "C"] { try await client.save(name) }
            try await subscribe(client, onDatabase)
            try await client.save("D")
            #expect(try await poll(reader, url, wait: 0)?.subscriptionID == "zone")
            #expect(try await poll(reader, url, wait: 0)?.subscriptionID == "database")
            #expect(try await poll(reader, url, wait: 0) == nil)
            try await client.save("E")
            let pair = [try await poll(reader, url), try await poll(reader, url)]
            #expect(Set(pair.map { $0?.subscriptionID }) == ["zone", "database"])
            #expect(pair[0]?.notificationID == pair[1]?.notificationID)
            #expect(pair.contains { $0?.subject == .database })
        }
    }

    @Test("a poll ends empty after its wait")
    func timeout() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let (reader, url) = try await device(client)
            let start = ContinuousClock.now
            let answer = try await reader.send("\(url)&wait=1", method: .GET)
            #expect(ContinuousClock.now - start >= .seconds(1))
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.headers.first(name: "connection") == nil, "the connection serves the next poll too")
            for bad in ["61", "-1", "x", ""] {
                #expect(try await reader.send("\(url)&wait=\(bad)", method: .GET).status == 400)
            }
        }
    }

    @Test("a later poll of the same token takes over from an earlier one")
    func takesOver() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            let (reader, url) = try await device(client)
            try await subscribe(client, onZone)
            let service = try #require(server.state.withLock { $0.service })
            async let early = poll(reader, url, wait: 30)
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            async let late = poll(reader, url, wait: 30)
            #expect(try await early == nil)
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            try await client.save("A")
            #expect(try await late?.subscriptionID == "zone")
        }
    }

    @Test("a client that goes away while it waits leaves no poll behind")
    func goesAway() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            let (reader, url) = try await device(client)
            let service = try #require(server.state.withLock { $0.service })
            let waiting = Task { try await poll(reader, url, wait: 60) }
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            waiting.cancel()
            #expect(try await eventually { service.context.push.hub.waiting == 0 })
        }
    }

    @Test("a client that goes away while it waits is no failure in the log")
    func goesAwayQuietly() async throws {
        let lines = Locked<[String]>([])
        try await withServer({
            $0.logger = Logger(label: "test") { _ in LineLog(lines: lines) }
            $0.logger.logLevel = .trace
        }) { client, server in
            try await client.makeZone()
            let (reader, url) = try await device(client)
            let service = try #require(server.state.withLock { $0.service })
            let waiting = Task { try await poll(reader, url, wait: 60) }
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            waiting.cancel()
            #expect(
                try await eventually {
                    lines.withLock { $0.contains { $0.contains("answered") && $0.contains("aps") } }
                })
            #expect(lines.withLock { $0.filter { $0.contains("request failed") } } == [])
        }
    }

    @Test("only the owner's devices hear, and only of what they subscribed to")
    func isolation() async throws {
        try await withServer { client, _ in
            let alice = client.user("alice"), bob = client.user("bob")
            for user in [alice, bob] {
                try await user.makeZone()
                try await user.makeZone("Y")
                try await subscribe(user, onZone)
            }
            let (bobsDevice, bobsURL) = try await device(bob)
            let (alicesDevice, alicesURL) = try await device(alice)
            try await alice.save("A")
            try await alice.save("B", zone: "Y")
            #expect(try await poll(bobsDevice, bobsURL, wait: 0) == nil)
            #expect(try await poll(alicesDevice, alicesURL, wait: 0)?.subscriptionID == "zone")
            #expect(try await poll(alicesDevice, alicesURL, wait: 0) == nil)
        }
    }

    @Test("a zone's end is told, and ends its subscription")
    func zoneDeletion() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let (reader, url) = try await device(client)
            try await subscribe(client, onZone)
            try await subscribe(client, onDatabase)
            let deletion = ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)])
            _ = try await client.call(.zonesModify, deletion, as: ZonesResponse.self)
            let told = [try await poll(reader, url, wait: 0), try await poll(reader, url, wait: 0)]
            #expect(Set(told.map { $0?.subscriptionID }) == ["zone", "database"])
            let left: SubscriptionsResponse = try await client.call(.subscriptionsList)
            #expect(left.subscriptions.count == 1)
        }
    }

    @Test("a failed batch and a read tell nobody anything")
    func silence() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("A")
            let (reader, url) = try await device(client)
            try await subscribe(client, onZone)
            try await client.modify([create("A"), create("B")])
            try await client.modify([operation(.forceDelete, "never")])
            _ = try await client.lookup(["A"])
            #expect(try await poll(reader, url, wait: 0) == nil)
        }
    }

    @Test("a stopping server answers waiting polls and ends soon")
    func shutdown() async throws {
        let waiting = Locked<Task<PushNotification?, any Error>?>(nil)
        let start = Locked(ContinuousClock.now)
        try await withServer { client, server in
            let (reader, url) = try await device(client)
            let service = try #require(server.state.withLock { $0.service })
            waiting.withLock { $0 = Task { try await poll(reader, url, wait: 60) } }
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            start.withLock { $0 = .now }
        }
        #expect(ContinuousClock.now - start.withLock { $0 } < .seconds(8))
        #expect(try await waiting.withLock { $0 }?.value == nil)
    }

    @Test("a token outlives a restart, and is told to look first")
    func restart() async throws {
        try await withFolder { folder in
            let url = Locked("")
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                try await client.makeZone()
                try await subscribe(client, onZone)
                let made = try await device(client)
                url.withLock { $0 = made.url }
            }
            try await withServer({ $0.storage = .directory(folder) }) { client, _ in
                let token = url.withLock { $0 }.split(separator: "?")[1]
                let address = "\(client.base)/aps?\(token)"
                #expect(try await poll(client, address, wait: 0)?.subscriptionID == "zone")
                #expect(try await poll(client, address, wait: 0) == nil)
                try await client.save("A")
                #expect(try await poll(client, address, wait: 0)?.subscriptionID == "zone")
            }
        }
    }

    @Test("push tokens that are made up are refused without a look at the storage, and throttle nobody")
    func madeUpTokens() async throws {
        try await withServer({ $0.failedAttemptsPerMinute = 3 }) { client, server in
            let (_, url) = try await device(client)
            let text = try #require(url.split(separator: "=").last).description
            let dash = try #require(text.firstIndex(of: "-"))
            let bytes = try #require([UInt8](base64URL: String(text[text.index(after: dash)...])))
            let statements = try await StatementCount(server)
            func status(_ token: String) async throws -> Int {
                try await client.send("\(client.base)/aps?tok=\(token)&wait=0", method: .GET).status
            }
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 1
                #expect(try await status("1-\(other.base64URL)") == 404)
            }
            // Of another tenant, of a former length, and of the random bytes alone.
            for token in ["2-\(bytes.base64URL)", "1-\(Array(bytes[..<32]).base64URL)", "1-", "1-AAAA", "x"] {
                #expect(try await status(token) == 404)
            }
            #expect(statements.take("push_token") == 0)
            #expect(try await status(text) == 200)
        }
    }

    @Test("a push token that is gone is throttled alone")
    func goneTokens() async throws {
        let clock = VirtualClock()
        try await withServer({
            $0.failedAttemptsPerMinute = 3
            $0.clock = clock
        }) { client, server in
            let (_, gone) = try await device(client)
            let (_, kept) = try await device(client)
            try await server.working.context.storage.write { writing in
                _ = try writing.removePushTokens(of: [Bearer(user: "_development")])
            }
            for _ in 0..<3 { #expect(try await client.send(gone + "&wait=0", method: .GET).status == 404) }
            #expect(try await client.send(gone + "&wait=0", method: .GET).status == 429)
            #expect(try await client.send(kept + "&wait=0", method: .GET).status == 404)
            clock.advance(by: 60_000)
            #expect(try await client.send(gone + "&wait=0", method: .GET).status == 404)
        }
    }

    @Test("unknown push tokens are refused")
    func unknownTokens() async throws {
        try await withServer { client, _ in
            let (_, url) = try await device(client)
            for bad in [
                url + "x", client.base + "/aps?tok=", client.base + "/aps?tok=1-AAAA", client.base + "/aps?tok=%00",
            ] {
                #expect(try await client.send(bad, method: .GET).status == 404, "\(bad)")
            }
            #expect(try await client.send(client.base + "/aps", method: .GET).status == 400)
            _ = await expectFailure(.badRequest) {
                try await client.call(.tokensRegister, PushToken(apnsToken: "feed"), as: EmptyBody.self)
            }
        }
    }

    @Test("a push token that nobody polls for is forgotten after 30 days, and one in use is not")
    func forgottenTokens() async throws {
        let clock = VirtualClock()
        try await withServer({ $0.clock = clock }) { client, server in
            let (_, used) = try await device(client)
            let (_, unused) = try await device(client)
            for _ in 0..<40 {
                clock.advance(by: 24 * 3600 * 1_000)
                #expect(try await client.send("\(used)&wait=0", method: .GET).status == 200)
                try await server.cleanUp()
            }
            #expect(try await client.send("\(used)&wait=0", method: .GET).status == 200)
            #expect(try await client.send("\(unused)&wait=0", method: .GET).status == 404)
        }
    }

    @Test("registering gives a token to another user")
    func register() async throws {
        try await withServer { client, _ in
            let (device, url) = try await device(client.user("alice"))
            let bob = client.user("bob")
            try await bob.makeZone()
            try await subscribe(bob, onZone)
            _ = try await bob.call(.tokensRegister, PushToken(apnsToken: device.device), as: EmptyBody.self)
            try await bob.save("A")
            #expect(try await poll(client, url, wait: 0)?.userRecordName == "bob")
        }
    }

    @Test(
        "push tokens end by the name that they were made under, for their user alone", arguments: StorageKind.allCases)
    func unregister(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, server in
            let service = try #require(server.state.withLock { $0.service })
            let alice = client.user("alice"), bob = client.user("bob")
            func make(_ client: TestClient, _ name: String?) async throws -> PushToken {
                try await client.call(.tokensCreate, PushToken(clientId: name))
            }
            func status(_ token: PushToken) async throws -> Int {
                try await client.send("\(token.webcourierURL ?? "")&wait=0", method: .GET).status
            }
            let ended = [try await make(alice, "notes"), try await make(alice, "notes")]
            let kept = [
                try await make(alice, "tasks"), try await make(alice, "Notes"), try await make(alice, nil),
                try await make(bob, "notes"),
            ]
            // Given away, a token keeps its name.
            let given = try await make(alice, "notes")
            _ = try await bob.call(.tokensRegister, PushToken(apnsToken: given.apnsToken), as: EmptyBody.self)
            try await alice.makeZone()
            try await subscribe(alice, onZone)
            try await alice.save("A")
            async let waiting = poll(client, "\(ended[1].webcourierURL ?? "")", wait: 0)
            #expect(try await waiting != nil)
            async let heard = poll(client, "\(ended[1].webcourierURL ?? "")", wait: 60)
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            for _ in 0..<2 {
                _ = try await alice.call(.tokensUnregister, PushToken(clientId: "notes"), as: EmptyBody.self)
            }
            #expect(try await heard == nil)
            try await alice.save("B")
            for token in ended { #expect(try await status(token) == 404) }
            for token in kept + [given] { #expect([200, 204].contains(try await status(token))) }
            _ = try await bob.call(.tokensUnregister, PushToken(clientId: "notes"), as: EmptyBody.self)
            for token in [given, kept[3]] { #expect(try await status(token) == 404) }
            #expect([200, 204].contains(try await status(kept[0])))
            // An invalid name is refused everywhere.
            for name in ["", "a\u{0}b", String(repeating: "é", count: 128)] {
                for endpoint in [WireEndpoint.tokensCreate, .tokensUnregister] {
                    let error = await expectFailure(.badRequest) {
                        try await alice.call(endpoint, PushToken(clientId: name), as: EmptyBody.self)
                    }
                    #expect(error?.reason.contains("clientId") == true)
                }
            }
            let error = await expectFailure(.badRequest) {
                try await alice.call(.tokensUnregister, PushToken(), as: EmptyBody.self)
            }
            #expect(error?.reason.contains("clientId") == true)
        }
    }

    @Test("subscriptions are made, listed, looked up, changed and ended")
    func subscriptions() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await subscribe(client, onZone)
            try await subscribe(client, onZone)
            try await subscribe(client, onDatabase)
            let list: SubscriptionsResponse = try await client.call(.subscriptionsList)
            #expect(list.subscriptions.count == 2)
            let looked: SubscriptionsResponse = try await client.call(
                .subscriptionsLookup, SubscriptionsLookupRequest(subscriptionIDs: ["zone", "nope"]))
            guard case .subscription(let found) = looked.subscriptions[0],
                case .error(let id, let error) = looked.subscriptions[1]
            else { throw TestFailure("\(looked)") }
            #expect(found.zoneID?.ownerRecordName == "_development")
            #expect(found.notificationInfo?.shouldSendContentAvailable == true)
            #expect(id == "nope" && error.code == .notFound)
            // The documented path of this look-up has no database.
            let documented = try await client.raw(
                "/database/1/iCloud.test/development/subscriptions/lookup",
                SubscriptionsLookupRequest(subscriptionIDs: ["zone"]).wireJSON())
            #expect(try SubscriptionsResponse(wireJSON: documented.body).subscriptions.count == 1)
            let changes: SubscriptionsResponse = try await client.call(
                .subscriptionsModify,
                SubscriptionsModifyRequest(operations: [
                    .init(.delete, onZone), .init(.delete, onZone),
                    .init(.create, .init(subscriptionID: "q", subscriptionType: .query)),
                    .init(.create, .init(subscriptionID: "z", subscriptionType: .zone)),
                    .init(
                        .create,
                        .init(subscriptionID: "m", subscriptionType: .zone, zoneID: ZoneID(zoneName: "missing"))),
                    .init(.create, .init(subscriptionID: "", subscriptionType: .database)),
                ]))
            let codes = changes.subscriptions.map {
                if case .error(_, let error) = $0 { error.code } else { WireErrorCode?.none }
            }
            #expect(codes == [nil, .notFound, .badRequest, .badRequest, .zoneNotFound, nil])
            #expect(changes.subscriptions[0] == .deleted(subscriptionID: "zone"))
            let strangers: SubscriptionsResponse = try await client.user("other").call(.subscriptionsList)
            #expect(strangers.subscriptions.isEmpty)
        }
    }
}
