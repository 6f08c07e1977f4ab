import CloudWire
import Foundation
import NIOHTTP1
import TestSupport

@testable import BackstitchServer

/// The requests to the other routes: queries, shares, assets, notifications, users and the public database.
extension Attack {
    /// The things that these need, beside the zones.
    struct Prey: Sendable {
        /// The zone of large records, as its guests name it.
        var zone: ZoneID
        /// The address of the share of its records.
        var shortGUID: String
        /// An asset that a record has a thousand times.
        var asset: WireAsset
        /// Where a device waits for notifications.
        var pollURL: String
        /// A share of many records.
        var wide: WideShare?

        static func prepare(_ client: TestClient, guest: TestClient, _ zone: ZoneID) async throws -> Prey {
            // Guests see all large records: each lies below the first.
            let children = (1..<10).map { number in
                RecordOperation(
                    .forceUpdate,
                    WireRecord(
                        recordName: "large \(number)", recordType: "Item",
                        parent: WireReference(recordName: "large 0")))
            }
            for child in children { try await client.modify([child], desiredKeys: []) }
            let share = SharedPlace.share("share", of: "large 0", everybody: .readWrite)
            guard let guid = try await client.modify([share])[0].record().share?.shortGUID else {
                throw TestFailure("no share")
            }
            let _: ShareResultsResponse = try await guest.on("public").call(
                .recordsAccept, ShareGUIDsRequest(shortGUIDs: [ShortGUID(guid)]))
            let asset = try AssetUploadReceipt(wireJSON: try await client.upload([1]).body).singleFile
            try await client.save("assets", ["file": .assetList(Array(repeating: asset, count: 1_000))])
            for part in 0..<4 {
                let text = WireValue.string(String(repeating: "p", count: 900_000))
                try await client.on("public").save("large \(part)", ["t": text], zone: nil)
            }
            let token: PushToken = try await client.call(.tokensCreate, PushToken(apnsEnvironment: "development"))
            guard let url = token.webcourierURL else { throw TestFailure("no address to poll") }
            return Prey(zone: zone, shortGUID: guid, asset: asset, pollURL: url)
        }
    }

    static let kindsOfRoutes = 14

    mutating func strikeRoute(_ kind: Int) async throws {
        switch kind {
        case 0: try await query(client, zone: "Many")
        case 1: try await query(client, zone: "Z")
        case 2: try await writeIndexed()
        case 3: try await deleteIndexed()
        case 4: try await guestReads()
        case 5: try await shareGUIDs()
        case 6: try await follow()
        case 7:
            let source = AssetRereferenceRequest.Source(
                recordName: "assets", fieldName: "file", fileChecksum: prey.asset.fileChecksum)
            try await post(
                .assetsRereference,
                AssetRereferenceRequest(zoneID: TestClient.zone, assets: Array(repeating: source, count: 2_000)))
        case 8:
            var asset = prey.asset
            (asset.receipt, asset.size) = (nil, 7)
            let fields: [String: WireValue?] = ["file": .assetList(Array(repeating: asset, count: 1_000))]
            try await modify([operation(.forceUpdate, "assets", fields)], zone: "Z")
            let more: [String: WireValue?] = ["file": .assetList(Array(repeating: asset, count: 17_000))]
            try await modify([operation(.forceUpdate, "assets", more)], zone: "Z")
        case 9:
            let keys = (0..<(random.below(2) == 0 ? 1_024 : 200_000)).map { "k\($0)" }
            try await post(
                .recordsModify,
                RecordsModifyRequest(
                    zoneID: ZoneID(zoneName: "Many"), operations: (0..<1_000).map { operation(.forceUpdate, "r\($0)") },
                    desiredKeys: keys, idempotencyKey: "key \(random.below(1_000_000))"))
        case 10: try await tokens()
        case 11: try await users()
        case 12: try await pollAndDownload()
        default: try await partialUploads()
        }
    }

    /// A query of a new shape, or of a known one.
    private mutating func query(_ client: TestClient, zone: String) async throws {
        let words = (0..<32).map { "w\($0)" }.joined(separator: " ")
        let filters: [QueryFilter] = [
            QueryFilter("t", .containsAnyTokens, .string(words)),
            QueryFilter("tags", .listContains, .string("t\(random.below(64))")),
            QueryFilter("n", .isIn, .int64List((0..<250).map { Int64($0) })),
            QueryFilter("n", .greaterThan, .int64(-1)), QueryFilter("t", .notBeginsWith, .string("y")),
        ]
        let query = RecordQuery(
            recordType: "Item", filterBy: Array(filters.prefix(random.below(5))),
            sortBy: [QuerySort("s\(random.below(24))", ascending: random.below(2) == 0)])
        let request = RecordsQueryRequest(
            zoneID: ZoneID(zoneName: zone), query: query, desiredKeys: random.below(2) == 0 ? [] : nil)
        let answer = try await client.raw(.recordsQuery, String(decoding: try request.wireJSON(), as: UTF8.self))
        guard answer.status == 200 else { return }
        var next = request
        next.continuationMarker = try RecordsQueryResponse(wireJSON: answer.body).continuationMarker
        if next.continuationMarker != nil { try await post(.recordsQuery, next) }
    }

    private static let tags = WireValue.stringList((0..<64).map { "t\($0)" })

    /// Records with the maximum number of entries, in all indexes of a zone.
    private mutating func writeIndexed() async throws {
        for order in 0..<16 {
            let query = RecordQuery(
                recordType: "Item", filterBy: [QueryFilter("tags", .listContains, .string("t1"))],
                sortBy: [QuerySort("s\(order)")])
            try await post(.recordsQuery, RecordsQueryRequest(zoneID: ZoneID(zoneName: "Tags"), query: query))
        }
        for count in [2_000, 4] {
            let start = random.below(2_000)
            try await modify(
                (0..<count).map { operation(.forceReplace, "i\(start + $0)", ["tags": Self.tags]) }, zone: "Tags")
        }
    }

    private func deleteIndexed() async throws {
        try await modify((0..<2_000).map { operation(.forceDelete, "i\($0)") }, zone: "Tags")
    }

    /// Another account reads large records that are shared with it, again and again.
    private mutating func guestReads() async throws {
        let shared = guest.on("shared")
        let page = ZoneChangesRequest.Zone(zoneID: prey.zone)
        let zones = [page] + (0..<200).map { ZoneChangesRequest.Zone(zoneID: ZoneID(zoneName: "none \($0)")) }
        _ = try await shared.raw(
            .changesZone, String(decoding: try ZoneChangesRequest(zones: zones).wireJSON(), as: UTF8.self))
        _ = try await shared.raw(
            .recordsChanges, String(decoding: try RecordChangesRequest(zone: page).wireJSON(), as: UTF8.self))
        let lookup = RecordsLookupRequest(
            zoneID: prey.zone, records: (0..<1_900).map { .init(recordName: "large \($0 % 4)") })
        _ = try await shared.raw(.recordsLookup, String(decoding: try lookup.wireJSON(), as: UTF8.self))
        try await post(.recordsChanges, RecordChangesRequest(zone: .init(zoneID: ZoneID(zoneName: "Many"))))
    }

    private func shareGUIDs() async throws {
        let one = ShortGUID(prey.shortGUID, shouldFetchRootRecord: true)
        let others = (0..<1_000).map { ShortGUID("\($0) " + String(repeating: "g", count: 100)) }
        for guids in [Array(repeating: one, count: 100), others] {
            let body = String(decoding: try ShareGUIDsRequest(shortGUIDs: guids).wireJSON(), as: UTF8.self)
            for endpoint in [WireEndpoint.recordsResolve, .recordsAccept] {
                _ = try await guest.on("public").raw(endpoint, body)
            }
        }
    }

    /// The public database: its feed with the maximum number of queries, its records, and a query of its own.
    private mutating func follow() async throws {
        let everybody = client.on("public")
        let filter = QueryFilter("t", .containsAllTokens, .string("none"))
        let queries = (0..<50).map { _ in RecordQuery(recordType: "Item", filterBy: Array(repeating: filter, count: 16))
        }
        let start = try await everybody.raw(
            .changesQuery, String(decoding: try QueryChangesRequest(queries: queries).wireJSON(), as: UTF8.self))
        let large = "large \(random.below(4))"
        try await everybody.save(.forceUpdate, large, ["n": .int64(Int64(random.below(1_000)))], zone: nil)
        guard start.status == 200 else { return }
        let token = try QueryChangesResponse(wireJSON: start.body).syncToken
        let request = QueryChangesRequest(queries: queries, syncToken: token)
        _ = try await everybody.raw(.changesQuery, String(decoding: try request.wireJSON(), as: UTF8.self))
        let query = RecordsQueryRequest(query: RecordQuery(recordType: "Item"))
        for caller in [everybody, guest.on("public"), nobody] {
            _ = try await caller.raw(.recordsQuery, String(decoding: try query.wireJSON(), as: UTF8.self))
        }
    }

    private mutating func tokens() async throws {
        for _ in 0..<20 {
            try await post(
                .tokensRegister,
                PushToken(
                    apnsEnvironment: "development", apnsToken: String(repeating: "a", count: 10 + random.below(500)),
                    clientId: "c\(random.below(3))"))
            try await post(.tokensUnregister, PushToken(clientId: "c\(random.below(3))"))
        }
    }

    private func users() async throws {
        let names = (0..<2_000).map { UserLookupInfo(userRecordName: "user \($0)") }
        let addresses = (0..<2_000).map { UserLookupInfo(emailAddress: "\($0)@example.org") }
        let everybody = client.on("public")
        for infos in [names, addresses] {
            let lookup = String(decoding: try UsersLookupRequest(users: infos).wireJSON(), as: UTF8.self)
            for endpoint in [WireEndpoint.usersLookupEmail, .usersLookupID, .usersLookupContacts] {
                _ = try await everybody.raw(endpoint, lookup)
            }
            _ = try await everybody.raw(
                .usersDiscover, String(decoding: try UsersDiscoverRequest(lookupInfos: infos).wireJSON(), as: UTF8.self)
            )
        }
        for endpoint in [WireEndpoint.usersCaller, .usersCurrent] { _ = try await everybody.raw(endpoint, "{}") }
    }

    /// Polls that do not wait, and an abandoned one. The same asset again and again, also in senseless parts.
    private mutating func pollAndDownload() async throws {
        for _ in 0..<50 { _ = try await client.send("\(prey.pollURL)&wait=0", method: .GET) }
        let left = try await RawConnection.opened(client.base)
        try await left.send(
            "GET \(prey.pollURL.dropFirst(client.base.count))&wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        defer { left.end() }
        let found = try await client.lookup(["assets"])[0].record().value("file")
        guard let url = found?.assets.first?.downloadURL else { return }
        for range in ["bytes=0-0", "bytes=5-1", "bytes=-0", "bytes=0-0,0-0", "bytes=99999999999999999999-"] {
            _ = try await client.send(url, method: .GET, headers: ["Range": range])
            _ = try await client.send(url, method: .HEAD, headers: ["Range": range])
        }
    }

    /// Uploads whose parts differ from the announcement.
    private mutating func partialUploads() async throws {
        let bytes = Array(repeating: UInt8(random.below(256)), count: 200_000)
        let upload = try await GivenUpload(client, bytes)
        _ = try await upload.offset()
        for offset in [0, 100, 200_000, 0] {
            _ = try await upload.patch(bytes.prefix(100_000), at: offset)
            _ = try await client.send(upload.url, method: .HEAD)
        }
        let open = try await upload.begin("0123456789", at: 100_000, of: 100_000)
        open.end()
    }
}
