import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// No answer exceeds its limit, for any request and any content.
@Suite struct AnswerLimitTests {
    private static let limit = 20_000
    private static let small = WireLimits(
        operations: 200, bytes: 200_000, page: 200, record: 50_000, asset: 1000, answer: limit)

    private func withSmallServer(_ body: (TestClient) async throws -> Void) async throws {
        try await withServer({
            $0.standardLimits = Self.small
            $0.extendedLimits = Self.small
        }) { client, _ in try await body(client.extended()) }
    }

    private func text(_ count: Int) -> [String: WireValue?] { ["t": .string(String(repeating: "x", count: count))] }

    /// A request whose answer would exceed the limit, if the route has such a request.
    private func largeRequest(_ endpoint: WireEndpoint) throws -> [UInt8] {
        let zones = (0..<60).map { ZoneID(zoneName: "Zone \($0) " + String(repeating: "z", count: 200)) }
        let names = (0..<8).map { "large \($0)" }
        return switch endpoint {
        case .zonesList, .subscriptionsList, .usersCaller, .usersCurrent, .usersLookupContacts: Array("{}".utf8)
        case .usersDiscover: try UsersDiscoverRequest(lookupInfos: lookUps()).wireJSON()
        case .usersLookupEmail, .usersLookupID: try UsersLookupRequest(users: lookUps()).wireJSON()
        case .zonesLookup: try ZonesLookupRequest(zones: zones).wireJSON()
        case .zonesModify: try ZonesModifyRequest(operations: zones.map { .init(.create, $0) }).wireJSON()
        case .zonesChanges, .changesDatabase: try DatabaseChangesRequest().wireJSON()
        case .recordsModify:
            try RecordsModifyRequest(
                zoneID: TestClient.zone,
                operations: names.map { operation(.forceUpdate, $0, ["n": .int64(1)]) }
            ).wireJSON()
        case .recordsLookup:
            try RecordsLookupRequest(zoneID: TestClient.zone, records: names.map { .init(recordName: $0) }).wireJSON()
        case .recordsQuery:
            try RecordsQueryRequest(zoneID: TestClient.zone, query: RecordQuery(recordType: "Item")).wireJSON()
        case .recordsResolve, .recordsAccept:
            try ShareGUIDsRequest(
                shortGUIDs: (0..<100).map { ShortGUID("\($0) " + String(repeating: "g", count: 300)) }
            )
            .wireJSON()
        case .recordsChanges: try RecordChangesRequest(zone: .init(zoneID: TestClient.zone)).wireJSON()
        case .changesQuery: try QueryChangesRequest(queries: [RecordQuery(recordType: "Item")]).wireJSON()
        case .changesZone: try ZoneChangesRequest(zones: zones.map { .init(zoneID: $0) }).wireJSON()
        case .assetsUpload:
            try AssetUploadRequest(
                zoneID: TestClient.zone,
                tokens: (0..<100).map {
                    .init(
                        recordName: "asset \($0)", recordType: nil, fieldName: "f" + String(repeating: "a", count: 200))
                }
            ).wireJSON()
        case .assetsRereference:
            try AssetRereferenceRequest(
                zoneID: TestClient.zone,
                assets: (0..<100).map {
                    .init(recordName: "asset \($0)", fieldName: String(repeating: "a", count: 200))
                }
            ).wireJSON()
        case .subscriptionsLookup:
            try SubscriptionsLookupRequest(subscriptionIDs: (0..<60).map { "subscription \($0)" }).wireJSON()
        case .subscriptionsModify: try SubscriptionsModifyRequest(operations: subscriptions(0..<60)).wireJSON()
        case .tokensUnregister: try PushToken(clientId: String(repeating: "t", count: 30_000)).wireJSON()
        case .tokensCreate, .tokensRegister: try PushToken(apnsToken: String(repeating: "t", count: 30_000)).wireJSON()
        }
    }

    private func lookUps() -> [UserLookupInfo] {
        (0..<200).map { .init(userRecordName: "_user \($0) " + String(repeating: "u", count: 200)) }
    }

    private func subscriptions(_ range: Range<Int>) -> [SubscriptionsModifyRequest.Operation] {
        range.map { number in
            var subscription = WireSubscription(subscriptionID: "subscription \(number)", subscriptionType: .database)
            subscription.notificationInfo = alert(1_000)
            return .init(.create, subscription)
        }
    }

    private func alert(_ count: Int) -> WireSubscription.NotificationInfo {
        var info = WireSubscription.NotificationInfo()
        info.alertBody = String(repeating: "a", count: count)
        return info
    }

    @Test("a route's answer is within the limit, or the error about it", arguments: WireEndpoint.allCases)
    func everyRoute(_ endpoint: WireEndpoint) async throws {
        try await withSmallServer { client in
            try await client.makeZone()
            for number in 0..<8 { try await client.save("large \(number)", text(9_000)) }
            for start in stride(from: 0, to: 60, by: 10) {
                let _: SubscriptionsResponse = try await client.call(
                    .subscriptionsModify, SubscriptionsModifyRequest(operations: subscriptions(start..<start + 10)))
            }
            for number in 0..<60 {
                let name = "Zone \(number) " + String(repeating: "z", count: 200)
                try await client.makeZone(name)
                try await client.save("a", text(500), zone: name)
            }
            let database = endpoint.databases.contains(.private) ? "private" : "public"
            let request = String(decoding: try largeRequest(endpoint), as: UTF8.self)
            let answer = try await client.on(database).raw(endpoint, request)
            #expect(answer.body.count <= Self.limit)
            // To accept what there is not fails as a whole.
            guard answer.status != 200, endpoint != .recordsAccept else { return }
            let error = try WireError(wireJSON: answer.body)
            // A name of a token is refused for its own length before.
            let isAboutTokens = [.tokensCreate, .tokensRegister, .tokensUnregister].contains(endpoint)
            #expect(error.isLimitExceeded || isAboutTokens, "\(error)")
        }
    }

    @Test("records that are too large together are looked up in parts")
    func lookup() async throws {
        try await withSmallServer { client in
            try await client.makeZone()
            for number in 0..<4 { try await client.save("r\(number)", text(8_000)) }
            let error = await expectFailure(.badRequest) { try await client.lookup(["r0", "r1", "r2", "r3"]) }
            #expect(error?.isLimitExceeded == true)
            #expect(try await client.lookup(["r0", "r1"]).count == 2)
        }
    }

    @Test("a look-up reads no more than an answer may hold, however little of it is wanted")
    func lookupOfLittle() async throws {
        try await withSmallServer { client in
            try await client.makeZone()
            for number in 0..<4 { try await client.save("r\(number)", text(8_000)) }
            func look(_ count: Int) async throws -> [RecordResult] {
                let answer: RecordsResponse = try await client.call(
                    .recordsLookup,
                    RecordsLookupRequest(
                        zoneID: TestClient.zone, records: (0..<count).map { .init(recordName: "r\($0)") },
                        desiredKeys: []))
                return answer.records
            }
            let error = await expectFailure(.badRequest) { try await look(4) }
            #expect(error?.isLimitExceeded == true)
            #expect(try await look(2).map { try $0.record().recordName } == ["r0", "r1"])
        }
    }

    @Test("a commit that is larger than an answer goes whole, on a page of its own, in both directions")
    func commitBeyondPage() async throws {
        try await withSmallServer { client in
            try await client.makeZone()
            let large = (0..<4).map { "r\($0)" }
            try await client.save("before")
            try await client.modify(large.map { create($0, text(9_000)) }, desiredKeys: [])
            try await client.save("after")
            let inOrder = [["before"], large, ["after"]]
            for (reverse, expected) in [(false, inOrder), (true, inOrder.reversed())] {
                var pages: [[String]] = []
                var token: String?
                repeat {
                    let page = try await client.page(token, reverse: reverse)
                    pages.append(page.records.map(\.recordName).sorted())
                    token = page.moreComing ? page.syncToken : nil
                } while token != nil && pages.count < 10
                #expect(pages == expected)
            }
        }
    }

    @Test("a commit that is larger than an answer is left for the next one when another zone has filled this")
    func commitsBeyondPage() async throws {
        try await withSmallServer { client in
            let names = ["A", "B"], large = (0..<4).map { "r\($0)" }
            for name in names {
                try await client.makeZone(name)
                try await client.modify(large.map { create($0, text(9_000)) }, zone: name, desiredKeys: [])
            }
            var tokens: [String?] = [nil, nil]
            func records() async throws -> [[String]] {
                let zones = zip(names, tokens).map {
                    ZoneChangesRequest.Zone(zoneID: ZoneID(zoneName: $0), syncToken: $1)
                }
                let answer: ZoneChangesResponse = try await client.call(.changesZone, ZoneChangesRequest(zones: zones))
                return try answer.zones.enumerated().map { place, zone in
                    guard case .changes(let page) = zone else { throw TestFailure("\(zone)") }
                    tokens[place] = page.syncToken
                    #expect(page.moreComing == (place == 1 && page.records.isEmpty))
                    return page.records.map(\.recordName).sorted()
                }
            }
            #expect(try await records() == [large, []])
            #expect(try await records() == [[], large])
        }
    }

    @Test("a name that a request gives twice is answered once")
    func repeats() async throws {
        try await withSmallServer { client in
            try await client.makeZone()
            try await client.save("a", text(5_000))
            let found = try await client.lookup(Array(repeating: "a", count: 40))
            #expect(found.compactMap { try? $0.record() }.count == 1)
            #expect(found.dropFirst().allSatisfy { $0.error?.code == .badRequest })
            let zones: ZoneChangesResponse = try await client.call(
                .changesZone, ZoneChangesRequest(zones: Array(repeating: .init(zoneID: TestClient.zone), count: 20)))
            #expect(zones.zones.count == 20)
            #expect(zones.zones.filter { if case .changes = $0 { true } else { false } }.count == 1)
            let looked: ZonesResponse = try await client.call(
                .zonesLookup, ZonesLookupRequest(zones: [TestClient.zone, TestClient.zone]))
            guard case .zone = looked.zones[0], case .error(let error) = looked.zones[1] else {
                throw TestFailure("\(looked)")
            }
            #expect(error.error.code == .badRequest)
        }
    }

    @Test("empty records and deletions count, so pages of them are cut too")
    func emptyRecords() async throws {
        try await withSmallServer { client in
            try await client.makeZone()
            for number in 0..<40 { try await client.save("r\(number)") }
            for number in 20..<40 { try await client.save(.forceDelete, "r\(number)") }
            var token: String?
            var seen: [String] = []
            while true {
                let page = try await client.page(token)
                seen += page.records.map(\.recordName)
                token = page.syncToken
                guard page.moreComing else { break }
                #expect(!page.records.isEmpty)
            }
            #expect(Set(seen).count == 40)
            #expect(try await client.page().moreComing)
        }
    }

    @Test("pages of many zones fill one answer, and whoever comes back gets the rest")
    func manyZones() async throws {
        try await withSmallServer { client in
            let names = (0..<6).map { "Z\($0)" }
            for name in names {
                try await client.makeZone(name)
                // Two commits. Neither fits beside another zone's commit.
                for record in ["a", "b"] { try await client.save(record, text(15_000), zone: name) }
            }
            var open = Dictionary(uniqueKeysWithValues: names.map { ($0, String?.none) })
            var got: [String: [String]] = [:]
            var rounds = 0
            while !open.isEmpty {
                rounds += 1
                try #require(rounds < 40)
                let answer: ZoneChangesResponse = try await client.call(
                    .changesZone,
                    ZoneChangesRequest(
                        zones: open.sorted { $0.key < $1.key }.map {
                            .init(zoneID: ZoneID(zoneName: $0.key), syncToken: $0.value)
                        }))
                for case .changes(let page) in answer.zones {
                    got[page.zoneID.zoneName, default: []] += page.records.map(\.recordName)
                    open[page.zoneID.zoneName] = page.moreComing ? .some(page.syncToken) : nil
                }
            }
            #expect(got == Dictionary(uniqueKeysWithValues: names.map { ($0, ["a", "b"]) }))
        }
    }

    @Test("a small change of large records is refused where it would write too much, and changes nothing")
    func largeCommit() async throws {
        try await withServer({
            $0.extendedLimits = WireLimits(
                operations: 200, bytes: 50_000, page: 200, record: 50_000, asset: 1000, answer: 20_000)
        }) { client, _ in
            let client = client.extended()
            try await client.makeZone()
            for number in 0..<8 { try await client.save("r\(number)", text(9_000)) }
            let changes = (0..<8).map { operation(.forceUpdate, "r\($0)", ["n": .int64(1)]) }
            let error = await expectFailure(.badRequest) { try await client.modify(changes, desiredKeys: []) }
            #expect(error?.isLimitExceeded == true)
            #expect(try await client.lookup(["r0"])[0].record().fields["n"] == nil)
            #expect(try await client.modify(Array(changes.prefix(4)), desiredKeys: []).allSatisfy { $0.error == nil })
        }
    }

    @Test("records of the server that do not fit an answer are left out of its conflicts")
    func conflicts() async throws {
        try await withSmallServer { client in
            try await client.makeZone()
            for number in 0..<6 { try await client.save("r\(number)", text(9_000)) }
            let answer = try await client.modify((0..<6).map { create("r\($0)") })
            #expect(answer.allSatisfy { $0.error?.code == .conflict })
            #expect(answer.map { $0.failure?.serverRecord != nil } == [true, false, false, false, false, false])
        }
    }

    @Test("a subscription has at most as many bytes as a notification")
    func subscription() async throws {
        try await withServer { client, _ in
            let large = WireSubscription(
                subscriptionID: "s", subscriptionType: .database, notificationInfo: alert(4_096))
            let answer: SubscriptionsResponse = try await client.call(
                .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(.create, large)]))
            guard case .error(_, let error)? = answer.subscriptions.first else { throw TestFailure("\(answer)") }
            #expect(error.isLimitExceeded)
        }
    }

    @Test("a name that is asked for many times is read once", arguments: StorageKind.allCases)
    func repeatedName(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            try await storage.write { writing in
                let key = DatabaseKey(tenant: "t/development", scope: .private, owner: "u")
                let zone = try writing.makeZone(try writing.makeOwner(key, epoch: 1), named: "Z", epoch: 1)
                let large = StoredRecord(
                    name: "large", type: "Item", sequence: try writing.advance(zone), deleted: false, flags: [],
                    created: 1, createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u",
                    fields: Array(repeating: 1, count: 1 << 20))
                try writing.insert([large], into: zone)
                let names = Array(repeating: "large", count: 2_000) + ["none"]
                // All that is read counts: a second time would be beyond the limit, and an error.
                let found = try writing.records(zone, named: names, limit: large.weight)
                #expect(found.count == 2_001 && found.last == .some(nil))
                #expect(found.dropLast().allSatisfy { $0?.fields.count == 1 << 20 })
                // Nor is it copied: all answers are the same bytes in memory.
                let places = found.dropLast().map { record in
                    record?.fields.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
                }
                #expect(Set(places).count == 1)
            }
        }
    }

    @Test("a request names so many desired keys at most")
    func desiredKeys() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("a", text(10))
            func ask(_ count: Int) -> [(WireEndpoint, any WireEncodable)] {
                let keys = (0..<count).map { "k\($0)" }
                return [
                    (
                        .recordsModify,
                        RecordsModifyRequest(
                            zoneID: TestClient.zone, operations: [operation(.forceUpdate, "a", ["n": .int64(1)])],
                            desiredKeys: keys)
                    ),
                    (
                        .recordsLookup,
                        RecordsLookupRequest(
                            zoneID: TestClient.zone, records: [.init(recordName: "a")], desiredKeys: keys)
                    ),
                    (
                        .recordsLookup,
                        RecordsLookupRequest(
                            zoneID: TestClient.zone, records: [.init(recordName: "a", desiredKeys: keys)])
                    ),
                    (
                        .recordsQuery,
                        RecordsQueryRequest(
                            zoneID: TestClient.zone, query: RecordQuery(recordType: "Item"), desiredKeys: keys)
                    ),
                    (.changesZone, ZoneChangesRequest(zones: [.init(zoneID: TestClient.zone, desiredKeys: keys)])),
                    (
                        .recordsChanges,
                        RecordChangesRequest(zone: .init(zoneID: TestClient.zone, desiredKeys: keys))
                    ),
                ]
            }
            for (endpoint, message) in ask(1_025) {
                let answer = try await client.raw(endpoint, String(decoding: try message.wireJSON(), as: UTF8.self))
                #expect(answer.status == 400, "\(endpoint)")
                #expect(try WireError(wireJSON: answer.body).isLimitExceeded, "\(endpoint)")
            }
            #expect(try await client.lookup(["a"])[0].record().fields["n"] == nil)
            for (endpoint, message) in ask(1_024) {
                let answer = try await client.raw(endpoint, String(decoding: try message.wireJSON(), as: UTF8.self))
                #expect(answer.status == 200 && !answer.text.contains("serverErrorCode"), "\(endpoint): \(answer.text)")
            }
        }
    }
}
