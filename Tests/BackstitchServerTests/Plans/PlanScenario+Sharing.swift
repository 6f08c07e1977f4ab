import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchServer

// Subscriptions, shares, and what guests see.
extension PlanScenario {
    private func subscription(_ id: String, _ kind: WireSubscription.Kind) -> WireSubscription {
        var subscription = WireSubscription(subscriptionID: id, subscriptionType: kind)
        if kind != .database { subscription.zoneID = ZoneID(zoneName: "Z") }
        if kind == .query {
            let filters = id == "marked" ? [QueryFilter("n", .equals, .int64(1))] : []
            subscription.query = RecordQuery(recordType: "Item", filterBy: filters)
        }
        return subscription
    }

    func subscriptions() throws {
        for kind in [WireSubscription.Kind.zone, .database, .query] {
            try transaction.putSubscription(owner, user: "u", subscription(kind.rawValue, kind))
        }
        try transaction.putSubscription(owner, user: "u", subscription("marked", .query))
        _ = try transaction.subscriptions(owner, user: "u")
        _ = try transaction.subscription(owner, user: "u", id: "zone")
        _ = try transaction.subscriptionCount(owner, user: "u")
        _ = try transaction.querySubscriptionCounts(owner, user: "u", type: "Item")
        _ = try transaction.concernedSubscriptions(owner, zones: ["Z"], types: ["Item"], limit: 10)
        try transaction.markSubscriptions()
        let mark = SubscriptionMark(type: "Item", QueryField(known: "n"), .int64(1))
        _ = try transaction.markedSubscriptions(owner, zones: ["Z"], marks: [mark.text])
        _ = try transaction.markedSubscriptions(owner, zones: ["Z"], types: ["Item"])
        let asking = StoredSubscription(user: "u", subscription: subscription("query", .query))
        _ = try transaction.noteFirings(
            owner, [QueryFirings(subscription: asking, news: [RecordFiring(name: "a", change: .update, zone: "Z")])])
        let key = PushTokenKey(tenantID: owner.tenantID, digest: TokenDigest(of: strong("device")))
        let token = StoredPushToken(key: key, tenant: Self.tenant, user: "u", client: "app")
        try transaction.putPushToken(token, seen: 5)
        _ = try transaction.pushToken(key)
        try transaction.touchPushTokens([key], seen: 5)
        _ = try transaction.hints(for: token, limit: 10)
        _ = try transaction.pushTokens(tenantID: owner.tenantID, users: ["u"], limit: 10)
        _ = try transaction.watches(ofUsers: ["u"])
        _ = try transaction.removePushTokens(unseenSince: 1, limit: 10)
        _ = try transaction.removePushTokens(of: "u", beyond: 10, keeping: key)
        _ = try transaction.removePushTokens(tenant: Self.tenant, user: "nobody", client: "app")
        _ = try transaction.endedBearers(at: 1)
        _ = try transaction.endedBearers(of: "u", at: 1)
        _ = try transaction.removePushTokens(of: [Bearer(user: "nobody")])
        let device = StoredWakeDevice(
            tenantID: owner.tenantID, token: WakeToken(bytes: Array(repeating: 7, count: 32)), isDevelopment: false,
            poll: nil, registered: 5)
        try transaction.putWakeDevice(device, user: "u")
        _ = try transaction.wakeDevices(tenantID: owner.tenantID, user: "u", limit: 10)
        try transaction.removeWakeDevices(tenantID: owner.tenantID, user: "u", beyond: 10)
        _ = try transaction.removeWakeDevice(tenantID: owner.tenantID, device.token, registeredUpTo: 1)
        try transaction.putSubscription(owner, user: "w", subscription("gone", .database))
        _ = try transaction.removeSubscription(owner, user: "w", id: "gone")
    }

    private func participant(
        _ user: String, _ kind: WireParticipant.Kind, _ status: WireParticipant.Status = .accepted
    ) -> StoredParticipant {
        StoredParticipant(
            id: "id of \(user)", user: user, emailAddress: nil, kind: kind, status: status, permission: .readWrite)
    }

    private func share(_ name: String, root: String?, number: Int64) -> StoredShare {
        StoredShare(
            record: name, shortGUID: "guid of \(name)", publicPermission: .readOnly,
            participants: [participant("u", .owner), participant("guest", .user)], root: root, number: number)
    }

    func shares() throws {
        let first = share("S", root: "a", number: 1), second = share("T", root: "b", number: 2)
        try transaction.putShare(first, replacing: nil, of: zone)
        try transaction.putShare(second, replacing: nil, of: zone)
        try transaction.putShare(first.without("guest"), replacing: first, of: zone)
        try transaction.putShare(first, replacing: first.without("guest"), of: zone)
        var shared = zone
        shared.sharing = [.shared, .accepted, .records]
        _ = try transaction.shares(of: shared, named: ["S"], ofRoots: [], rootsOnly: false)
        _ = try transaction.shares(of: shared, named: ["S"], ofRoots: ["b"], rootsOnly: true)
        _ = try transaction.share(tenant: Self.tenant, shortGUID: "guid of S")
        _ = try transaction.shareCount(zone)
        _ = try transaction.shareNumbers(zone, ofRoots: ["a"])
        _ = try transaction.sharesAccepted(zone, by: "guest")
        let guest = try transaction.makeOwner(
            DatabaseKey(tenant: Self.tenant, scope: .shared, owner: "guest"), epoch: 1)
        try transaction.grantAccess(to: zone, of: "u", in: guest)
        _ = try transaction.sharedZone(guest, user: "guest", of: "u", named: "Z")
        _ = try transaction.sharedZones(guest, user: "guest")
        _ = try transaction.changedSharedZones(guest, user: "guest", after: 0, limit: 10)
        _ = try transaction.sharedZoneCount(guest)
        _ = try transaction.guests(of: shared)
        try transaction.advanceOwner(of: shared, guests: ["guest"])
        try transaction.advanceOwner(of: shared, guests: nil)
        try transaction.endAccess(to: zone, ofUsers: ["nobody"])
        let third = share("X", root: "c", number: 3)
        try transaction.putShare(third, replacing: nil, of: zone)
        try transaction.removeShare(third, of: zone)
    }

    func guests() throws {
        let first = share("S", root: "a", number: 1)
        func entry(_ share: Int64, _ name: String, isGone: Bool = false) -> StoredVisibility {
            StoredVisibility(share: share, name: name, sequence: 1, history: 1, isGone: isGone, changed: 1)
        }
        try transaction.putVisibility(
            [entry(1, "a"), entry(1, "b"), entry(1, "c", isGone: true), entry(3, "c")], in: zone)
        _ = try transaction.visibility(zone, of: ["a"])
        _ = try transaction.places(zone, of: ["a"])
        _ = try transaction.children(zone, of: ["a"], limit: 10)
        _ = try transaction.guests(of: zone, inShares: [1])
        _ = try transaction.guests(of: zone, among: ["guest"], besides: first)
        _ = try transaction.extent(of: first, in: zone, upTo: 10)
        try transaction.putHead(1, ofShares: [1], in: zone)
        for isGone in [false, true] {
            try transaction.tell(["guest"], of: first, in: zone, at: entry(1, "a"), gone: isGone)
        }
        _ = try transaction.makeOwner(
            DatabaseKey(tenant: Self.tenant, scope: .shared, owner: "stranger"), epoch: 1)
        try transaction.putFloor(1, ofGuests: ["stranger"], in: zone)
        let key = DatabaseKey(tenant: Self.tenant, scope: .shared, owner: "guest")
        guard let guest = try transaction.owner(key),
            let seen = try transaction.sharedZone(guest, user: "guest", of: "u", named: "Z")
        else { throw TestFailure("the guest has no zone") }
        let query = FeedQuery(cursor: 0, limit: 10, bytes: 1 << 20, takesLargeCommit: true, reverse: false)
        var late = seen
        late.access?.parts = seen.access?.parts?.map { part in
            var part = part
            part.head = 10
            return part
        }
        let page = try transaction.page(late, query)
        guard page.records.contains(where: { $0.name == "a" }) else { throw TestFailure("the guest sees nothing") }
        _ = try transaction.records(seen, named: ["a"], limit: 1 << 20)
        _ = try transaction.liveNames(seen, among: ["a"])
        _ = try transaction.removeVisibility(goneBefore: 2, limit: 10)
        try transaction.putVisibility([entry(1, "c", isGone: true)], in: zone)
        while try transaction.removeEndedShares(limit: 10) {}
        // One share that stays, so that there are others like it.
        try transaction.execute(
            """
            INSERT INTO ended_share (tenant_id, zone_id, number) VALUES (\(zone.tenantID), \(zone.zoneID), 7)
            """)
    }
}
