import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Dispatch
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

/// Requests, and the telling of their changes, which no request waits for.
@Suite("a request is answered before others are told of it") struct PushOutsideTests {
    /// A service over a storage whose reads can be held. It has no server, so every read is one of the telling.
    private struct Place {
        static let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")

        let reads = HeldReads()
        let service: ZoneService
        let lines = Locked<[String]>([])

        init(_ storage: ZoneStorage) throws {
            var configuration = ZoneServerConfiguration(storage: .memory)
            configuration.userQuotas.subscriptions = 400
            configuration.logger = Logger(label: "test") { [lines] _ in LineLog(lines: lines) }
            let held = try ZoneStorage(
                storage.database.held(by: reads), runner: configuration.runner, history: storage.history,
                assets: storage.assets, random: configuration.random)
            _ = reads.take()
            service = ZoneService(storage: held, configuration: configuration)
        }

        /// Gives the user so many devices, and subscriptions to the zone and the database.
        func fill(tokens: Int, subscriptions: Int) async throws {
            let keys = try await service.context.storage.write { writing in
                let owner = try writing.makeOwner(Self.key, epoch: 1)
                for number in 0..<subscriptions {
                    let id = "s\(number)"
                    try writing.putSubscription(
                        owner, user: "u", WireSubscription(subscriptionID: id, subscriptionType: .database))
                }
                return try (0..<tokens).map { number in
                    let key = PushTokenKey(tenantID: owner.tenantID, digest: TokenDigest(of: strong("\(number)")))
                    try writing.putPushToken(StoredPushToken(key: key, tenant: Self.key.tenant, user: "u"), seen: 1)
                    return key
                }
            }
            for key in keys { service.context.push.hub.open(key, with: []) }
        }

        func device(_ number: Int) async throws -> PushTokenKey {
            let tenantID = try await service.context.storage.write { try $0.makeOwner(Self.key, epoch: 1).tenantID }
            return PushTokenKey(tenantID: tenantID, digest: TokenDigest(of: strong("\(number)")))
        }

        /// Makes a record, as a device or without one.
        func save(_ name: String, by device: PushTokenKey? = nil) async throws {
            let limits = service.context.configuration.standardLimits
            let scope = RequestScope(
                container: "iCloud.test", environment: "development", database: Self.key, user: "u", roles: nil,
                mayWrite: true, extensions: false, limits: limits, device: device, baseURL: "")
            let answer = try await service.records.modify(
                RecordsModifyRequest(operations: [create(name)]), body: Data(), scope, AnswerBudget(limits))
            let result = try #require(try RecordsResponse(wireJSON: answer.bytes).records.first)
            _ = try result.record()
        }

        /// The subscriptions of which a device is told now.
        func news(_ device: PushTokenKey) async -> [String] {
            var heard: [String] = []
            while let next = await service.context.push.hub.next(
                service.context.push.hub.begin(for: device, milliseconds: 0))
            {
                heard.append(next.subscriptionID ?? "")
            }
            return heard
        }

        static func with(_ kind: StorageKind, _ body: (Place) async throws -> Void) async throws {
            try await kind.withStorage { storage in
                let place = try Place(storage)
                try await body(place)
                place.reads.release()
                await place.service.context.push.stage.end()
            }
        }
    }

    @Test(
        "it reads nothing for that, however many devices and subscriptions there are, and a hundred cost few looks",
        arguments: StorageKind.allCases, [(1, 1), (100, 400)])
    func reads(_ kind: StorageKind, _ counts: (tokens: Int, subscriptions: Int)) async throws {
        try await Place.with(kind) { place in
            try await place.fill(tokens: counts.tokens, subscriptions: counts.subscriptions)
            place.reads.hold()
            for number in 0..<100 { try await place.save("r\(number)") }
            // The one that has begun to tell of the first request.
            #expect(place.reads.take() <= 1 && place.service.context.push.stage.count == 2)
            let device = try await place.device(0)
            #expect(await place.news(device).isEmpty)
            place.reads.release()
            await place.service.context.push.stage.settle()
            #expect(place.reads.take() <= 2)
            #expect(await place.news(device).count == counts.subscriptions)
        }
    }

    @Test("the device of a request is not told of it; where requests of two devices are joined, both are")
    func devices() async throws {
        try await Place.with(.directory) { place in
            try await place.fill(tokens: 3, subscriptions: 1)
            let devices = [try await place.device(0), try await place.device(1), try await place.device(2)]
            func heard() async -> [Bool] {
                await place.service.context.push.stage.settle()
                var heard: [Bool] = []
                for device in devices { heard.append(await !place.news(device).isEmpty) }
                return heard
            }
            place.reads.hold()
            for name in ["a", "b", "c"] { try await place.save(name, by: devices[0]) }
            place.reads.release()
            #expect(await heard() == [false, true, true])
            place.reads.hold()
            try await place.save("first")
            for number in 0..<2 { try await place.save("d\(number)", by: devices[number]) }
            place.reads.release()
            #expect(await heard() == [true, true, true])
        }
    }

    @Test("a look that fails is in the log, costs no request, and the next commit is told")
    func failures() async throws {
        try await Place.with(.directory) { place in
            try await place.fill(tokens: 1, subscriptions: 1)
            let device = try await place.device(0)
            place.reads.fail(true)
            try await place.save("a")
            await place.service.context.push.stage.settle()
            #expect(await place.news(device).isEmpty)
            #expect(
                place.lines.withLock { $0.count { $0.contains("subscribers could not be notified of a change") } } == 1)
            place.reads.fail(false)
            try await place.save("b")
            await place.service.context.push.stage.settle()
            #expect(await place.news(device) == ["s0"])
        }
    }

    /// Runs a server on PostgreSQL whose subscriptions nobody can read while `body` runs, until it calls the closure.
    private func withHeldSubscriptions(
        _ body: (WaitingDevice, ZoneServer, @escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        try await withServer(on: .postgreSQL) { client, server in
            let service = try #require(server.state.withLock { $0.service })
            try await client.makeZone()
            let device = try await WaitingDevice(client)
            try await client.mustSubscribe(WireSubscription(subscriptionID: "db", subscriptionType: .database))
            #expect(try await device.all().isEmpty)
            let (held, hold) = AsyncStream.makeStream(of: Void.self)
            let end = DispatchSemaphore(value: 0)
            let holder = Task {
                try await service.context.storage.write { writing in
                    let transaction = writing
                    try transaction.execute("LOCK TABLE subscription IN ACCESS EXCLUSIVE MODE")
                    hold.finish()
                    end.wait()
                }
            }
            for await _ in held {}
            do { try await body(device, server) { end.signal() } } catch {
                end.signal()
                throw error
            }
            end.signal()
            try await holder.value
        }
    }

    @Test("a poll without a wait hears of all that was acknowledged before, however long the telling takes")
    func pollSettles() async throws {
        try await withHeldSubscriptions { device, server, release in
            let service = try #require(server.state.withLock { $0.service })
            var other = device.client
            other.device = nil
            for number in 0..<20 { try await other.save("r\(number)") }
            #expect(service.context.push.stage.count > 0)
            async let heard = device.next(wait: 0)
            #expect(try await eventually { service.context.push.stage.settling == 1 })
            release()
            #expect(try await heard?.subscriptionID == "db")
            #expect(try await device.next(wait: 0) == nil)
        }
    }

    @Test("a server that ends tells waiting polls of the last commits before it lets them go")
    func drains() async throws {
        try await withHeldSubscriptions { device, server, release in
            let service = try #require(server.state.withLock { $0.service })
            async let heard = device.next(wait: 60)
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            var other = device.client
            other.device = nil
            try await other.save("r")
            let stop = Task { try await server.stop() }
            #expect(try await eventually { service.context.push.stage.settling >= 1 })
            #expect(service.context.push.hub.waiting == 1)
            release()
            #expect(try await heard?.subscriptionID == "db")
            try await stop.value
        }
    }
}
