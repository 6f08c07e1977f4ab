import Backstitch
import BackstitchPostgreSQL
import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// Devices that wait at one server hear of changes sent to another one on the same database.
@Suite struct PeerTests {
    let push = PushTests()
    private let onZone = WireSubscription(
        subscriptionID: "zone", subscriptionType: .zone, zoneID: TestClient.zone, notificationInfo: .init())

    /// Two servers on a database, and a look at it.
    struct Pair: Sendable {
        let first: TestClient
        let second: TestClient
        let services: [ZoneService]
        let source: DatabaseSource
        let schema: String

        /// Waits until both hear each other.
        func connected() async throws -> Bool {
            try await eventually { services.allSatisfy { $0.context.push.peers?.isConnected == true } }
        }

        /// The first column of a query of the database's own tables.
        func numbers(_ text: SQLText) throws -> [Int64] {
            let database = try source.open()
            let result = try database.transact { try ZoneTransaction($0).all(text) { $0.int(0) } }
            try database.close()
            return result
        }

        /// The processes of the database.
        func processes() throws -> [Int64] {
            try numbers("SELECT pid::bigint FROM pg_stat_activity WHERE application_name = \(schema)")
        }

        /// The processes of the database that listen and have done nothing since.
        func listeners() throws -> [Int64] {
            try numbers(
                """
                SELECT pid::bigint FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND strpos(query, \(schema)) > 0
                """)
        }
    }

    func withTwo(
        _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in }, _ body: (Pair) async throws -> Void
    ) async throws {
        let schema = "zones_\(UUID().uuidString.lowercased())"
        let named = ProcessInfo.processInfo.environment["BACKSTITCH_TEST_POSTGRES"].flatMap { URL(string: $0) }
        let source = try DatabaseSource.postgreSQL(
            named ?? PostgresServer.shared.get().url,
            options: [.postgresSchema: schema, .postgresPoolSize: 2, .postgresApplicationName: schema])
        try await withFolder { folder in
            let configure: (inout ZoneServerConfiguration) -> Void = {
                $0.storage = .database(source, assets: folder)
                // So that a notified change is not found by looking.
                $0.peerInterval = 3_600
                change(&$0)
            }
            try await withServer(configure) { first, firstServer in
                try await withServer(configure) { second, secondServer in
                    let services = try [firstServer, secondServer].map { server in
                        try #require(server.state.withLock { $0.service })
                    }
                    try await body(
                        Pair(first: first, second: second, services: services, source: source, schema: schema))
                }
            }
        }
    }

    /// A device at the first server, with a subscription and without unheard news.
    private func listeningDevice(_ pair: Pair) async throws -> (client: TestClient, url: String) {
        try await pair.first.makeZone()
        let device = try await push.device(pair.first)
        try await push.subscribe(pair.first, onZone)
        try await pair.services[0].notifier.lookAtPeers()
        while try await push.poll(device.client, device.url, wait: 1) != nil {}
        return device
    }

    /// Pushes at the second server while a poll waits at the first one, and gives how long it waited on.
    private func hear(_ pair: Pair, _ device: (client: TestClient, url: String), _ name: String) async throws
        -> Duration
    {
        async let heard = push.poll(device.client, device.url, wait: 60)
        #expect(try await eventually { pair.services[0].context.push.hub.waiting == 1 })
        let start = ContinuousClock.now
        try await pair.second.save(name)
        let notification = try await heard
        #expect(notification?.subscriptionID == "zone")
        #expect(notification?.subject == .zone(ZoneID(zoneName: "Z", ownerRecordName: "_development")))
        return ContinuousClock.now - start
    }

    @Test("a poll at one server hears at once of a push at another, and once")
    func notified() async throws {
        try await withTwo { pair in
            #expect(try await pair.connected())
            let device = try await listeningDevice(pair)
            for name in ["A", "B"] { #expect(try await hear(pair, device, name) < .seconds(20)) }
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await push.poll(device.client, device.url, wait: 1) == nil)
        }
    }

    @Test("without notifications a poll hears of a push at another server by looking, also between two polls")
    func looking() async throws {
        try await withTwo {
            $0.usesNotifications = false
            $0.peerInterval = 0.1
        } _: { pair in
            let device = try await listeningDevice(pair)
            #expect(try await hear(pair, device, "A") < .seconds(20))
            // No device waits now.
            try await pair.second.save("B")
            #expect(try await push.poll(device.client, device.url, wait: 30)?.subscriptionID == "zone")
            #expect(try pair.listeners().isEmpty)
        }
    }

    @Test("a device is told once of a change at its own server, though that looks")
    func once() async throws {
        try await withTwo { pair in
            let device = try await listeningDevice(pair)
            try await pair.first.save("A")
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await push.poll(device.client, device.url, wait: 0)?.subscriptionID == "zone")
            try await pair.services[0].notifier.lookAtPeers()
            #expect(try await push.poll(device.client, device.url, wait: 0) == nil)
        }
    }

    @Test("servers whose connection is lost make another, look at once, and hear again")
    func reconnects() async throws {
        try await withTwo { pair in
            #expect(try await pair.connected())
            let before = try pair.listeners()
            #expect(before.count == 2)
            let device = try await listeningDevice(pair)
            for process in before {
                _ = try pair.numbers("SELECT pg_terminate_backend(\(process)::int)::int::bigint")
            }
            // A change of this time is found after it.
            #expect(try await hear(pair, device, "A") < .seconds(30))
            #expect(try await eventually { try Set(before).isDisjoint(with: pair.processes()) })
            #expect(try await pair.connected())
            while try await push.poll(device.client, device.url, wait: 1) != nil {}
            #expect(try await hear(pair, device, "B") < .seconds(20))
        }
    }

    @Test("many pushes make few notifications")
    func coalesced() async throws {
        try await withTwo {
            $0.userQuotas.requestsPerSecond = 100_000
        } _: { pair in
            #expect(try await pair.connected())
            _ = try await listeningDevice(pair)
            let database = try pair.source.open()
            let notifier = try #require(try database.makeNotifier(channel: "zones"))
            let texts = Locked<[String]>([])
            let thread = Thread {
                do { try notifier.run { heard in texts.withLock { $0 += heard } } } catch { Issue.record(error) }
            }
            thread.start()
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<10 {
                    group.addTask {
                        for number in 0..<100 { try await pair.second.save("r\(writer).\(number)") }
                    }
                }
                try await group.waitForAll()
            }
            let elapsed = ContinuousClock.now - start
            #expect(try await eventually { !texts.withLock(\.isEmpty) })
            try await Task.sleep(for: .milliseconds(200))
            notifier.close()
            try database.close()
            let count = texts.withLock(\.count)
            #expect(count <= Int(elapsed / .milliseconds(30)) + 2 && count < 1_000)
        }
    }

    @Test("polls that wait hold no connection of the database")
    func connections() async throws {
        try await withTwo { pair in
            #expect(try await pair.connected())
            let polls = 30
            var connections: [RawConnection] = []
            defer { for connection in connections { connection.end() } }
            for number in 0..<polls {
                let device = try await push.device(pair.first.user("user\(number)"))
                // Each has its own client: a single client may have only a limited number of connections to a server.
                let connection = try RawConnection(pair.first.base)
                connections.append(connection)
                let target = device.url.dropFirst(pair.first.base.count)
                try await connection.send("GET \(target)&wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            #expect(try await eventually { pair.services[0].context.push.hub.waiting == polls })
            let counts = try pair.numbers(
                """
                SELECT count(*) FROM pg_stat_activity WHERE application_name = \(pair.schema)
                UNION ALL
                SELECT count(*) FROM pg_stat_activity WHERE application_name = \(pair.schema) AND state <> 'idle'
                    AND pid <> pg_backend_pid()
                ORDER BY 1 DESC
                """)
            // Two pools of two, and two listeners. In addition, the asking connection and the opening one.
            #expect(counts[0] <= 8)
            #expect(counts[1] == 0)
        }
    }

    @Test("a token that another server removes or gives away ends its poll")
    func removed() async throws {
        try await withTwo {
            $0.userQuotas.pushTokens = 1
        } _: { pair in
            #expect(try await pair.connected())
            let device = try await listeningDevice(pair)
            async let heard = push.poll(device.client, device.url, wait: 60)
            #expect(try await eventually { pair.services[0].context.push.hub.waiting == 1 })
            let start = ContinuousClock.now
            _ = try await push.device(pair.second)
            #expect(try await heard == nil)
            #expect(ContinuousClock.now - start < .seconds(20))
            _ = await expectFailure(.notFound) { try await push.poll(device.client, device.url, wait: 0) }
        }
    }

    @Test("many users are told of by several texts, very many by one that means all")
    func messages() {
        let names = (0..<100).map { "\($0)".padding(toLength: 255, withPad: "x", startingAt: 0) }
        let texts = PeerMessage(server: 7, users: Set(names)).texts
        #expect(texts.count == 4)
        #expect(texts.allSatisfy { $0.utf8.count < 8_000 })
        let read = texts.compactMap(PeerMessage.init)
        #expect(Set(read.flatMap { $0.users ?? [] }) == Set(names))
        #expect(read.allSatisfy { $0.server == 7 })
        let many = Set((0..<1_000).map { "\($0)".padding(toLength: 255, withPad: "x", startingAt: 0) })
        #expect(PeerMessage(server: 7, users: many).texts.compactMap(PeerMessage.init).map(\.users) == [nil])
        #expect(PeerMessage("nonsense") == nil)
    }

    @Test("users who are heard of while a look takes its time are one more look, in bounded memory")
    func gathering() {
        let heard = ReportedUsers()
        #expect(!heard.add([]))
        #expect(heard.add(["ada"]))
        #expect(heard.add(["ben", "ada"]))
        #expect(heard.take() == ["ada", "ben"])
        #expect(heard.take() == [])
        for number in 0...ReportedUsers.limit { _ = heard.add(["user-\(number)"]) }
        #expect(heard.take() == nil, "more than \(ReportedUsers.limit) users are all of them")
        #expect(heard.add(["ada"]))
        #expect(heard.add(nil))
        #expect(heard.add(["ben"]))
        #expect(heard.take() == nil)
    }
}
