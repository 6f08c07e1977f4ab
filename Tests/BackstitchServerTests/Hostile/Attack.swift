import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1

@testable import BackstitchServer

/// The requests of a user who tries to hurt others, one kind after another.
struct Attack: Sendable {
    let client: TestClient
    /// A second account, which takes part in the large records.
    let guest: TestClient
    let prey: Prey
    var random: SeededGenerator

    /// Zones with much in them, for the attacks that ask for it.
    ///
    /// - Parameter isLong: Whether the share has ten thousand records, and not a thousand.
    static func prepare(_ client: TestClient, guest: TestClient, isLong: Bool) async throws -> Prey {
        let zone = try await client.makeZone("Z").zoneID
        for name in ["Many", "Tags"] { try await client.makeZone(name) }
        let text = WireValue.string(String(repeating: "x", count: 900_000))
        for number in 0..<10 { try await client.modify([create("large \(number)", ["t": text])], desiredKeys: []) }
        for start in stride(from: 0, to: 6_000, by: 1_000) {
            try await client.modify(
                (start..<start + 1_000).map { create("r\($0)") }, zone: "Many", desiredKeys: [])
        }
        var prey = try await Prey.prepare(client, guest: guest, zone)
        prey.wide = try await WideShare(client, guest: guest, count: isLong ? 10_000 : 1_000)
        return prey
    }

    private static let kindsOfZones = 14
    static let kinds = kindsOfZones + kindsOfRoutes + kindsOfStrangers + kindsOfShares

    /// Sends a request of a kind. The server's answer does not matter, as long as it lives.
    mutating func strike(_ kind: Int) async throws {
        switch kind {
        case 0: try await post(.recordsLookup, lookup((0..<1_900).map { _ in "large 0" }))
        case 1: try await post(.recordsLookup, lookup((0..<8).map { "large \($0)" }))
        case 2: try await post(.recordsLookup, lookup((0..<2_000).map { "r\($0)" }, zone: "Many"))
        case 3:
            let zones = (0..<500).map { _ in ZoneChangesRequest.Zone(zoneID: TestClient.zone) }
            try await post(.changesZone, ZoneChangesRequest(zones: zones))
        case 4:
            let zones = ["Z", "Many"].map { ZoneChangesRequest.Zone(zoneID: ZoneID(zoneName: $0)) }
            try await post(.changesZone, ZoneChangesRequest(zones: zones))
        case 5:
            // As large as a request may be.
            let text = WireValue.string(String(repeating: "y", count: 3_900))
            let salt = random.below(10)
            try await modify((0..<2_000).map { operation(.forceReplace, "w\(salt) \($0)", ["t": text]) })
        case 6:
            let fields = Dictionary(uniqueKeysWithValues: (0..<100).map { ("f\($0)", WireValue?.some(.int64(1))) })
            try await modify((0..<1_000).map { operation(.forceReplace, "k\($0)", fields) })
        case 7:
            let targets = (0..<1_500).map { number in
                WireReference(recordName: number < 20 ? "nobody \(number)" : "r\(number)", action: .validate)
            }
            try await modify(
                targets.enumerated().map { operation(.forceReplace, "v\($0)", ["p": .reference($1)]) }, zone: "Many")
        case 8: try await modify((0..<2_000).map { create("r\($0)") }, zone: "Many")
        case 9: try await modify((0..<10).map { operation(.forceUpdate, "large \($0)", ["n": .int64(1)]) }, zone: "Z")
        case 10:
            let names = (0..<100).map { _ in ZoneID(zoneName: "T\(random.below(3_000))") }
            let operations = names.map { ZonesModifyRequest.Operation(random.below(2) == 0 ? .create : .delete, $0) }
            try await post(.zonesModify, ZonesModifyRequest(operations: operations))
            try await post(.zonesLookup, ZonesLookupRequest(zones: names))
            try await post(.changesDatabase, DatabaseChangesRequest())
            try await post(.zonesList, EmptyBody())
        case 11: try await subscribe()
        case 12: try await upload()
        case 13: try await nonsense()
        case 14..<14 + Self.kindsOfRoutes: try await strikeRoute(kind - Self.kindsOfZones)
        case 28..<28 + Self.kindsOfStrangers:
            try await strikeAsStranger(kind - Self.kindsOfZones - Self.kindsOfRoutes)
        default: try await strikeShare(kind - Self.kindsOfZones - Self.kindsOfRoutes - Self.kindsOfStrangers)
        }
    }

    /// A caller without any token.
    var nobody: TestClient {
        var nobody = client.on("public")
        nobody.query = ""
        return nobody
    }

    private mutating func subscribe() async throws {
        var info = WireSubscription.NotificationInfo()
        info.alertBody = String(repeating: "a", count: random.below(5_000))
        let operations = (0..<500).map { _ in
            var subscription = WireSubscription(
                subscriptionID: "s\(random.below(1_000))", subscriptionType: .zone, zoneID: ZoneID(zoneName: "Many"))
            subscription.notificationInfo = info
            return SubscriptionsModifyRequest.Operation(random.below(5) == 0 ? .delete : .create, subscription)
        }
        try await post(.subscriptionsModify, SubscriptionsModifyRequest(operations: operations))
        try await post(.subscriptionsList, EmptyBody())
        try await post(
            .subscriptionsLookup, SubscriptionsLookupRequest(subscriptionIDs: (0..<1_000).map { "s\($0)" }))
        for _ in 0..<20 { try await post(.tokensCreate, PushToken()) }
    }

    private mutating func upload() async throws {
        let tokens = (0..<200).map {
            AssetUploadRequest.Token(recordName: "a\($0)", recordType: "Item", fieldName: "f")
        }
        let answer = try await post(.assetsUpload, AssetUploadRequest(zoneID: TestClient.zone, tokens: tokens))
        guard answer.status == 200 else { return }
        let url = try AssetUploadResponse(wireJSON: answer.body).tokens[0].url
        _ = try await client.send(url, body: [UInt8](repeating: UInt8(random.below(256)), count: 2 << 20))
    }

    private mutating func nonsense() async throws {
        let bodies = [
            String(repeating: "[", count: 1_000_000), "{\"operations\":" + String(repeating: "[{},", count: 500_000),
            "{\"records\":[\"" + String(repeating: "\\u0000", count: 100_000) + "\"]}",
            "{\"records\":[{\"recordName\":\"" + String(repeating: "n", count: 2_000_000) + "\"}]}",
        ]
        for endpoint in WireEndpoint.allCases {
            _ = try await client.raw(endpoint, bodies[random.below(bodies.count)])
        }
        // Half of a head, left open, and an unread answer.
        let half = try await RawConnection.opened(client.base)
        try await half.send("POST /database/1/iCloud.test/development/private/records/lookup HTTP/1.1\r\nX-")
        let deaf = try await RawConnection.opened(client.base)
        let body = String(decoding: try lookup((0..<8).map { "large \($0)" }).wireJSON(), as: UTF8.self)
        try await deaf.send(
            "POST /database/1/iCloud.test/development/private/records/lookup?\(client.query) HTTP/1.1\r\nHost: localhost\r\n"
                + "\(WireHeader.extensions): 1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        try await Task.sleep(for: .seconds(1))
        half.end()
        deaf.end()
    }

    private func lookup(_ names: [String], zone: String = "Z") -> RecordsLookupRequest {
        RecordsLookupRequest(zoneID: ZoneID(zoneName: zone), records: names.map { .init(recordName: $0) })
    }

    func modify(_ operations: [RecordOperation], zone: String = "Many") async throws {
        try await post(
            .recordsModify,
            RecordsModifyRequest(zoneID: ZoneID(zoneName: zone), operations: operations, atomic: false))
    }

    @discardableResult
    func post(_ endpoint: WireEndpoint, _ message: some WireEncodable) async throws -> TestAnswer {
        try await client.raw(endpoint, String(decoding: try message.wireJSON(), as: UTF8.self))
    }
}
