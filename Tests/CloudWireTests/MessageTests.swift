import Foundation
import Testing

@testable import CloudWire

@Suite struct MessageTests {
    private let zone = ZoneID(zoneName: "Z", ownerRecordName: "_o", zoneType: .custom)

    private func expectRoundTrip<Message: WireCodable & Equatable>(
        _ message: Message, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = try message.wireJSON()
        #expect(try Message(wireJSON: bytes) == message, sourceLocation: sourceLocation)
        // Foundation must read the same text, so that the writer does not agree with its own reader only.
        #expect(try JSONSerialization.jsonObject(with: Data(bytes)) is [String: Any], sourceLocation: sourceLocation)
    }

    private var record: WireRecord {
        var record = WireRecord(
            recordName: "A", recordType: "Item", recordChangeTag: "1e",
            fields: Dictionary(uniqueKeysWithValues: ValueTests.samples.enumerated().map { ("f\($0)", $1) }),
            zoneID: zone, parent: WireReference(recordName: "P"))
        record.fields["gone"] = .some(nil)
        return record
    }

    private var served: WireRecord {
        var record = record
        record.created = WireStamp(timestamp: 1, userRecordName: "_o", deviceID: "2")
        record.modified = WireStamp(timestamp: 2, userRecordName: "_p", deviceID: "2")
        return record
    }

    @Test("records/modify comes back as it was, both ways")
    func modify() throws {
        try expectRoundTrip(
            RecordsModifyRequest(
                zoneID: zone, operations: RecordOperation.Kind.allCases.map { RecordOperation($0, record) },
                atomic: true, desiredKeys: [], numbersAsStrings: true, getCurrentSyncToken: true, idempotencyKey: "k"))
        try expectRoundTrip(RecordsModifyRequest(operations: []))
        let conflict = RecordError(
            recordName: "A", error: WireError(.conflict, "why", retryAfter: 3, redirectURL: "http://h"),
            serverRecord: served, serverRecordDeleted: true)
        try expectRoundTrip(
            RecordsResponse(
                records: [
                    .record(served), .record(WireRecord(recordName: "C", deleted: true)), .error(conflict),
                ] + WireErrorCode.allCases.map { .error(RecordError(recordName: "x", error: WireError($0, "r"))) },
                syncToken: "t"))
    }

    @Test("the other messages come back as they were")
    func others() throws {
        try expectRoundTrip(
            RecordsLookupRequest(zoneID: zone, records: [.init(recordName: "A", desiredKeys: ["a"])], desiredKeys: []))
        try expectRoundTrip(
            ZonesModifyRequest(operations: [.init(.create, zone), .init(.delete, ZoneID(zoneName: "Y"))]))
        try expectRoundTrip(ZonesLookupRequest(zones: [zone, ZoneID(zoneName: "Y")]))
        let info = ZoneInfo(zoneID: zone, syncToken: "t", atomic: true, deleted: true, deletedReason: .purged)
        let failed = ZoneError(zoneID: zone, error: WireError(.zoneNotFound, "no"))
        try expectRoundTrip(ZonesResponse(zones: [.zone(info), .error(failed)]))
        try expectRoundTrip(DatabaseChangesRequest(syncToken: "t", resultsLimit: 5))
        try expectRoundTrip(DatabaseChangesResponse(zones: [.zone(info)], moreComing: true, syncToken: "t"))
        try expectRoundTrip(
            ZoneChangesRequest(
                zones: [
                    .init(
                        zoneID: zone, syncToken: "t", desiredKeys: [], desiredRecordTypes: ["T"], reverse: true,
                        countsRecords: true)
                ],
                resultsLimit: 1, numbersAsStrings: true))
        let page = ZoneChanges(
            zoneID: zone, syncToken: "t", moreComing: true,
            records: [served, WireRecord(recordName: "C", recordChangeTag: "2a", deleted: true)], recordsLeft: 7)
        try expectRoundTrip(ZoneChangesResponse(zones: [.changes(page), .error(failed)]))
        try expectRoundTrip(RecordChangesRequest(zone: .init(zoneID: zone, syncToken: "t"), resultsLimit: 3))
        try expectRoundTrip(RecordChangesResponse(records: [served], syncToken: "t", moreComing: false))
        try expectRoundTrip(
            AssetUploadRequest(zoneID: zone, tokens: [.init(recordName: "A", recordType: "T", fieldName: "f")]))
        try expectRoundTrip(
            AssetUploadRequest(
                tokens: [.init(recordName: nil, recordType: nil, fieldName: "f", fileChecksum: "c", size: 1 << 40)]))
        try expectRoundTrip(AssetUploadResponse(tokens: [.init(recordName: "A", fieldName: "f", url: "http://h/x")]))
        try expectRoundTrip(AssetUploadReceipt(singleFile: WireAsset(fileChecksum: "c", size: 1, receipt: "r")))
        let subscription = WireSubscription(
            subscriptionID: "s", subscriptionType: .zone, zoneID: zone, notificationInfo: .init())
        var shown = WireSubscription.NotificationInfo()
        shown.alertLocalizationKey = "key"
        shown.alertLocalizationArgs = ["a"]
        shown.alertActionLocalizationKey = "action"
        shown.alertLaunchImage = "image"
        shown.additionalFields = ["title"]
        let query = WireSubscription(
            subscriptionID: "q", query: RecordQuery(recordType: "T", filterBy: [QueryFilter("n", .equals, .int64(1))]),
            zoneWide: true, firesOn: [.create, .delete], firesOnce: true, notificationInfo: shown)
        try expectRoundTrip(SubscriptionsModifyRequest(operations: [.init(.create, query)]))
        try expectRoundTrip(
            AssetRereferenceRequest(
                zoneID: zone, assets: [.init(recordName: "A", fieldName: "f", fileChecksum: "c")]))
        try expectRoundTrip(
            AssetRereferenceResponse(
                assets: [
                    .asset(WireAsset(fileChecksum: "c", size: 1, receipt: "r")),
                    .error(recordName: "A", fieldName: "f", WireError(.notFound, "no")),
                ]))
        try expectRoundTrip(SubscriptionsLookupRequest(subscriptionIDs: ["a", "b"]))
        try expectRoundTrip(
            SubscriptionsModifyRequest(operations: [.init(.create, subscription), .init(.update, subscription)]))
        try expectRoundTrip(
            SubscriptionsResponse(
                subscriptions: [
                    .subscription(subscription), .deleted(subscriptionID: "x"),
                    .error(subscriptionID: "y", WireError(.notFound, "no")),
                ]))
        try expectRoundTrip(
            PushToken(apnsEnvironment: "development", apnsToken: "t", webcourierURL: "u", clientId: "c"))
        let owned = ZoneID(zoneName: "Z", ownerRecordName: "_o")
        let subjects: [PushNotification.Subject] = [
            .zone(owned), .database, .record(name: "A", change: .update, zone: owned),
            .record(name: nil, change: nil, zone: nil),
        ]
        for subject in subjects {
            try expectRoundTrip(
                PushNotification(
                    container: "iCloud.x", notificationID: "n", userRecordName: "_o", subscriptionID: "s",
                    subject: subject))
        }
        try expectRoundTrip(UserIdentity(userRecordName: "_u"))
        for number in 0..<8 {
            let type = number == 0 ? nil : "T\(number)"
            let rights = RecordTypeRights(
                recordType: type, mayCreate: number & 1 != 0, mayChangeOwn: number & 2 != 0,
                mayChangeOthers: number & 4 != 0)
            try expectRoundTrip(rights)
            try expectRoundTrip(UserIdentity(userRecordName: "_u", publicRights: [rights, rights]))
        }
        try expectRoundTrip(EmptyBody())
        try expectRoundTrip(WireError(.throttled, "slow", uuid: "u", retryAfter: 9))
    }

    @Test("equal messages give equal bytes, whatever the order of their dictionaries")
    func deterministic() throws {
        var first: [String: WireValue?] = [:]
        var second: [String: WireValue?] = [:]
        for index in 0..<50 { first["f\(index)"] = .int64(Int64(index)) }
        for index in (0..<50).reversed() { second["f\(index)"] = .int64(Int64(index)) }
        #expect(
            try WireRecord(recordName: "r", fields: first).wireJSON()
                == WireRecord(recordName: "r", fields: second).wireJSON())
    }

    @Test("unknown keys and nulls do no harm")
    func lenient() throws {
        let request = try RecordsModifyRequest(
            wireJSON: Array(
                """
                {"zoneID":null,"atomic":null,"desiredKeys":null,"new":{"a":[1,{}]},"numbersAsStrings":null,
                 "operations":[{"operationType":"create","later":1,"record":{"recordName":null,"recordType":"T",
                 "fields":null,"parent":null,"zoneID":null,"pluginFields":{"x":1}}}]}
                """.utf8))
        #expect(request.operations == [RecordOperation(.create, WireRecord(recordName: "", recordType: "T"))])
        let changes = try ZoneChangesRequest(
            wireJSON: Array(
                "{\"zones\":[{\"zoneID\":{\"zoneName\":\"Z\"},\"syncToken\":\"\"}],\"desiredKeys\":[\"a\"],\"resultsLimit\":null}"
                    .utf8))
        #expect(changes.zones == [.init(zoneID: ZoneID(zoneName: "Z"), desiredKeys: ["a"])])
        let wrapped = try ZonesLookupRequest(
            wireJSON: Array("{\"zones\":[{\"zoneID\":{\"zoneName\":\"A\"}},{\"zoneName\":\"B\"}]}".utf8))
        #expect(wrapped.zones.map(\.zoneName) == ["A", "B"])
        let old = try DatabaseChangesRequest(wireJSON: Array("{\"metaSyncToken\":\"m\",\"syncToken\":\"\"}".utf8))
        #expect(old.syncToken == "m")
        let user = try UserIdentity(wireJSON: Array("{\"users\":[{\"userRecordName\":\"_u\"}]}".utf8))
        #expect(user.userRecordName == "_u")
    }

    @Test("an operation that cannot be read leaves the others whole")
    func malformedOperation() throws {
        let request = try RecordsModifyRequest(
            wireJSON: Array(
                """
                {"operations":[{"operationType":"create","record":{"recordName":"A","recordType":"T"}},
                 {"operationType":"create","record":{"fields":{"n":{"type":"INT64","value":"x"}},"recordName":"B"}},
                 {"operationType":"explode","record":{"recordName":"C"}}, 17, {"record":5}, null,
                 {"operationType":"forceDelete","record":{"recordName":"D"}}]}
                """.utf8))
        #expect(request.operations.map(\.record.recordName) == ["A", "D"])
        #expect(request.malformed.keys.sorted() == [1, 2, 3, 4, 5])
        #expect(request.malformed[1]?.name == "B")
        #expect(request.malformed[1]?.reason.contains("field 'n'") == true)
        #expect(request.malformed[2]?.name == "C")
        #expect(request.malformed[3]?.name == nil)
    }

    @Test("a syntax fault anywhere refuses the whole request")
    func syntaxInOperation() {
        for fault in ["{\"operationType\":\"create\",\"operationType\":\"create\"}", "{\"record\":{\"a\":tru}}", "[1,"]
        {
            let error = #expect(throws: WireCodingError.self) {
                try RecordsModifyRequest(wireJSON: Array("{\"operations\":[\(fault)]}".utf8))
            }
            #expect(error?.kind == .syntax)
        }
    }

    @Test("a code that is none of the fourteen becomes INTERNAL_ERROR and is named")
    func unknownCode() throws {
        let error = try WireError(wireJSON: Array("{\"serverErrorCode\":\"NEW_ONE\",\"reason\":\"r\"}".utf8))
        #expect(error.code == .internalError)
        #expect(error.reason.contains("NEW_ONE"))
    }

    @Test("the limits header comes back as it was, and nonsense is refused")
    func limits() {
        let limits = WireLimits(operations: 1, bytes: 2, page: 3, record: 4, asset: 5)
        #expect(WireLimits(headerValue: limits.headerValue) == limits)
        #expect(
            WireLimits(headerValue: "operations=7; later=1")
                == {
                    var expected = WireLimits.standard
                    expected.operations = 7
                    return expected
                }())
        #expect(WireLimits(headerValue: "operations=-1") == nil)
        #expect(WireLimits(headerValue: "operations") == nil)
    }

    @Test("fields that are JSON already are written as they are")
    func encodedFields() throws {
        var record = WireRecord(recordName: "r", recordType: "T")
        record.encodedFields = try WireRecord.encodeFields(["a": .int64(1), "b": .string("x")], of: "r")
        let back = try WireRecord(wireJSON: record.wireJSON())
        #expect(back.fields == ["a": .int64(1), "b": .string("x")])
        #expect(try WireRecord.Fields(json: record.encodedFields ?? []).values == back.fields)
    }
}
