import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchServer

/// A server that pushes to a fake APNs, with a zone `Z`.
struct WakeWorld: Sendable {
    static let token = String(repeating: "0aB1", count: 16)

    let client: TestClient
    let server: ZoneServer
    let apns: FakeAPNs

    /// - Parameter user: Makes the zone, with a token of that name.
    static func with<Value>(
        on kind: StorageKind = .directory, user: String? = nil,
        _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (WakeWorld) async throws -> Value
    ) async throws -> Value {
        try await FakeAPNs.with { apns in
            let configuration = try apns.configuration()
            return try await withServer(
                on: kind,
                {
                    $0.apns = configuration
                    change(&$0)
                }
            ) { client, server in
                try await (user.map { client.user(strong($0)) } ?? client).makeZone()
                return try await body(WakeWorld(client: client, server: server, apns: apns))
            }
        }
    }

    func service() throws -> ZoneService {
        guard let service = server.state.withLock({ $0.service }) else { throw TestFailure("the server does not run") }
        return service
    }

    /// The devices of a user, as the storage has them.
    func devices(_ user: String = "_development") async throws -> [StoredWakeDevice] {
        try await service().context.storage.read { reading in
            guard let owner = try reading.owner(Self.database(user)) else { return [] }
            return try reading.wakeDevices(tenantID: owner.tenantID, user: user, limit: 1_000)
        }
    }

    static func database(_ user: String) -> DatabaseKey {
        DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: user)
    }

    /// Waits until nothing is to be sent.
    func settled() async throws -> Bool {
        let service = try service()
        return try await eventually { service.context.push.wake?.queue.count == 0 }
    }
}

extension TestClient {
    func register(_ token: String = WakeWorld.token, _ environment: String = "production") async throws {
        _ = try await call(
            .tokensRegister, PushToken(apnsEnvironment: environment, apnsToken: token), as: EmptyBody.self)
    }

    /// Subscribes to the zone `Z`.
    func subscribeToZone(
        _ info: WireSubscription.NotificationInfo? = nil,
        _ kind: SubscriptionsModifyRequest.Operation.Kind = .create
    ) async throws {
        try await mustSubscribe(
            WireSubscription(
                subscriptionID: "zone", subscriptionType: .zone, zoneID: TestClient.zone, notificationInfo: info), kind)
    }
}

/// A clock on which short waits are over at once, since it jumps.
final class JumpingClock: WallClock {
    private let skipped = Locked<Int64>(0)

    func milliseconds() -> Int64 { SystemClock().milliseconds() + skipped.withLock { $0 } }

    func uptime() -> Int64 { SystemClock().uptime() + skipped.withLock { $0 } }

    func sleep(untilUptime time: Int64) async throws {
        try Task.checkCancellation()
        let wait = time - uptime()
        guard wait <= 10_000 else { return try await SystemClock().sleep(milliseconds: wait) }
        if wait > 0 { skipped.withLock { $0 += wait } }
        await Task.yield()
    }
}
