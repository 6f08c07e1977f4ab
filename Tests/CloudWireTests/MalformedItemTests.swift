import Testing

@testable import CloudWire

/// An unreadable element of a request is an error of that element, and has its name if it gave one.
@Suite("elements that cannot be read") struct MalformedItemTests {
    private func read<Message: WireDecodable>(_ json: String, as _: Message.Type = Message.self) throws -> Message {
        try Message(wireJSON: Array(json.utf8))
    }

    private func text(_ message: some WireEncodable) throws -> String {
        String(decoding: try message.wireJSON(), as: UTF8.self)
    }

    @Test("records/lookup")
    func recordsLookup() throws {
        let request: RecordsLookupRequest = try read(
            #"{"records":[5,{"recordName":"A"},{"recordName":7},{"recordName":"B","desiredKeys":"x"},{}]}"#)
        #expect(request.records == [.init(recordName: "A")])
        #expect(request.malformed.keys.sorted() == [0, 2, 3, 4])
        #expect(request.malformed[3]?.name == "B")
        #expect(request.malformed.values.filter { $0.name == nil }.count == 3)
        #expect(request.malformed[4]?.reason.hasPrefix("a record to look up needs a recordName") == true)
    }

    @Test("zones/lookup and zones/modify")
    func zones() throws {
        let lookup: ZonesLookupRequest = try read(
            #"{"zones":[{"zoneName":5},{"zoneID":{"zoneName":"A"}},null,{"zoneName":"B"}]}"#)
        #expect(lookup.zones.map(\.zoneName) == ["A", "B"])
        #expect(lookup.malformed.keys.sorted() == [0, 2])
        let modify: ZonesModifyRequest = try read(
            """
            {"operations":[{"operationType":"explode","zone":{"zoneID":{"zoneName":"A","ownerRecordName":"_o"}}},
             {"operationType":"explode","zone":{"zoneName":"B"}},{"operationType":"create","zone":{"zoneID":5}},
             {"operationType":"create","zone":{"zoneID":{"zoneName":"C"}}}]}
            """)
        #expect(modify.operations == [.init(.create, ZoneID(zoneName: "C"))])
        #expect(modify.malformed[0]?.name == ZoneID(zoneName: "A", ownerRecordName: "_o"))
        #expect(modify.malformed[1]?.name == ZoneID(zoneName: "B"))
        #expect(modify.malformed[2]?.name == nil)
    }

    @Test("changes/zone")
    func changes() throws {
        let request: ZoneChangesRequest = try read(
            #"{"zones":[{"zoneID":{"zoneName":"A"},"reverse":"yes"},{"zoneID":{"zoneName":"B"}}],"desiredKeys":["k"]}"#)
        #expect(request.zones == [.init(zoneID: ZoneID(zoneName: "B"), desiredKeys: ["k"])])
        #expect(request.malformed.mapValues(\.name) == [0: ZoneID(zoneName: "A")])
    }

    @Test("subscriptions/lookup and subscriptions/modify")
    func subscriptions() throws {
        let lookup: SubscriptionsLookupRequest = try read(
            #"{"subscriptions":[{"subscriptionID":"a"},{"subscriptionID":"b","subscriptionType":"moon"},{},"c"]}"#)
        #expect(lookup.subscriptionIDs == ["a"])
        #expect(lookup.malformed.mapValues(\.name) == [1: "b", 2: nil, 3: nil])
        let modify: SubscriptionsModifyRequest = try read(
            """
            {"operations":[{"operationType":"delete","subscription":{"subscriptionID":"a"}},
             {"operationType":"create","subscription":{"subscriptionID":"b","notificationInfo":5}},
             {"operationType":"create","subscription":{"subscriptionID":"c"}}]}
            """)
        #expect(modify.operations.map(\.subscription.subscriptionID) == ["a"])
        #expect(modify.malformed.mapValues(\.name) == [1: "b", 2: "c"])
    }

    @Test("assets/upload")
    func uploads() throws {
        let request: AssetUploadRequest = try read(
            #"{"tokens":[{"recordName":"A"},{"recordName":"B","fieldName":"f"},{"fieldName":5}]}"#)
        #expect(request.tokens == [.init(recordName: "B", recordType: nil, fieldName: "f")])
        #expect(request.malformed.mapValues(\.name) == [0: "A", 2: nil])
    }

    @Test("what is no JSON, no array, or has very many such elements is no request")
    func wholeRequest() throws {
        for fault in ["{\"zoneName\":tru}", "{\"zoneName\":\"A\",\"zoneName\":\"B\"}", "[1,", "\"\\ud800\""] {
            let error = #expect(throws: WireCodingError.self, "\(fault)") {
                try read("{\"zones\":[5,\(fault)]}", as: ZonesLookupRequest.self)
            }
            #expect(error?.kind == .syntax)
        }
        for list in ["5", "{}", "null", "\"x\""] {
            #expect(throws: WireCodingError.self, "\(list)") {
                try read("{\"records\":\(list)}", as: RecordsLookupRequest.self)
            }
        }
        let many = { (count: Int) in "{\"tokens\":[\(Array(repeating: "5", count: count).joined(separator: ","))]}" }
        let most = JSONReader.maximumMalformedItems
        #expect(try read(many(most), as: AssetUploadRequest.self).malformed.count == most)
        #expect(throws: WireCodingError.self) { try read(many(most + 1), as: AssetUploadRequest.self) }
    }

    @Test("a word that is none is quoted in part")
    func longWord() throws {
        let word = String(repeating: "x\u{301}", count: 10_000)
        let request: ZonesModifyRequest = try read(
            "{\"operations\":[{\"operationType\":\"\(word)\",\"zone\":{\"zoneName\":\"A\"}}]}")
        #expect((request.malformed[0]?.reason.utf8.count ?? .max) < 200)
    }

    @Test("answers keep the order of the request")
    func woven() {
        let malformed = [0: MalformedItem<String>(reason: "a"), 3: .init(name: "n", reason: "d")]
        #expect(malformed.woven(into: ["b", "c", "e"], \.reason) == ["a", "b", "c", "d", "e"])
        #expect(malformed.woven(into: ["b", "c"], \.reason) == ["a", "b", "c", "d"])
        let none: [Int: MalformedItem<String>] = [:]
        #expect(none.woven(into: ["b"], \.reason) == ["b"])
    }

    @Test("the JSON of errors of elements, with a name and without")
    func errors() throws {
        let error = WireError(.badRequest, "why")
        let keys = #""serverErrorCode":"BAD_REQUEST","reason":"why""#
        #expect(
            try text(
                RecordsResponse(records: [
                    .error(RecordError(recordName: "A", error: error)),
                    .error(RecordError(recordName: "", error: error)),
                ])) == "{\"records\":[{\"recordName\":\"A\",\(keys)},{\(keys)}]}")
        #expect(
            try text(
                ZonesResponse(zones: [
                    .error(ZoneError(zoneID: ZoneID(zoneName: "Z"), error: error)),
                    .error(ZoneError(zoneID: nil, error: error)),
                ])) == "{\"zones\":[{\"zoneID\":{\"zoneName\":\"Z\"},\(keys)},{\(keys)}]}")
        #expect(
            try text(
                SubscriptionsResponse(subscriptions: [
                    .error(subscriptionID: "s", error), .error(subscriptionID: "", error),
                ])) == "{\"subscriptions\":[{\"subscriptionID\":\"s\",\(keys)},{\(keys)}]}")
        let places = AssetUploadResponse(tokens: [
            .init(recordName: "A", fieldName: "f", url: "u"), .init(recordName: "B", fieldName: "g", error: error),
            .init(recordName: "", fieldName: "", error: error),
        ])
        let written = try text(places)
        #expect(
            written == #"{"tokens":[{"recordName":"A","fieldName":"f","url":"u"},{"recordName":"B","fieldName":"g","#
                + "\(keys)},{\(keys)}]}")
        #expect(try read(written) == places)
        #expect(throws: WireCodingError.self) {
            try read(#"{"tokens":[{"recordName":"A","fieldName":"f"}]}"#, as: AssetUploadResponse.self)
        }
    }
}
