import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// The work of a look at the push tokens and subscriptions of a user.
@Suite struct WatchCostTests {
    @Test(
        "a look reads a row for each push token and each subscription, and not for each pair",
        arguments: StorageKind.allCases, [10, 20])
    func rows(_ kind: StorageKind, _ count: Int) async throws {
        try await StatementRecorder.withStorage(kind) { storage, recorder in
            try await storage.write { writing in
                let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")
                let owner = try writing.makeOwner(key, epoch: 1)
                _ = try writing.makeZone(owner, named: "Z", epoch: 1)
                for number in 0..<count {
                    let token = PushTokenKey(
                        tenantID: owner.tenantID, digest: TokenDigest(of: strong("device \(number)")))
                    try writing.putPushToken(StoredPushToken(key: token, tenant: key.tenant, user: "u"), seen: 1)
                }
                for number in 0..<4 * count {
                    let subscription = WireSubscription(
                        subscriptionID: "s\(number)", subscriptionType: .zone, zoneID: ZoneID(zoneName: "Z"))
                    try writing.putSubscription(owner, user: "u", subscription)
                }
            }
            _ = recorder.takeRows()
            let watches = try await storage.read { try $0.watches(ofUsers: ["u", "nobody"]) }
            #expect(watches.count == count && watches.allSatisfy { $0.heads.count == 4 * count })
            #expect(recorder.takeRows() == 5 * count)
        }
    }
}
