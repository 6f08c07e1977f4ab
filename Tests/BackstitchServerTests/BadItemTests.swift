import CloudWire
import Testing

@testable import BackstitchServer

/// A bad element of a request is an error of that element. The others are answered as if it were not there.
@Suite struct BadItemTests {
    /// The answer's text, without the places of faults in the request.
    private func answer(
        _ client: TestClient, _ endpoint: WireEndpoint, _ body: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let answer = try await client.raw(endpoint, body)
        #expect(answer.status == 200, "\(answer.text)", sourceLocation: sourceLocation)
        return answer.text.replacing(#/ \(at byte \d+\)/#, with: "")
    }

    private func bad(_ reason: String, _ name: String = "") -> String {
        "{\(name)\"serverErrorCode\":\"BAD_REQUEST\",\"reason\":\"\(reason)\"}"
    }

    @Test("records/lookup: elements of the wrong shape stand in their places, the others are found")
    func recordsLookup() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("A")
            let items = #"5,{"recordName":7},{"desiredKeys":["a"]},{"recordName":"B","desiredKeys":"a"}"#
            let refused = [
                bad("expected an object, found a number"), bad("recordName: expected a string, found a number"),
                bad("a record to look up needs a recordName"),
                bad("desiredKeys: expected an array, found a string", #""recordName":"B","#),
                #"{"recordName":"nope","serverErrorCode":"NOT_FOUND","reason":"Record not found"}"#,
            ].joined(separator: ",")
            let text = try await answer(
                client, .recordsLookup, #"{"zoneID":{"zoneName":"Z"},"records":[\#(items),{"recordName":"nope"}]}"#)
            #expect(text == "{\"records\":[\(refused)]}")
            let mixed = try await answer(
                client, .recordsLookup, #"{"zoneID":{"zoneName":"Z"},"records":[5,{"recordName":"A"},null]}"#)
            let records = try RecordsResponse(wireJSON: Array(mixed.utf8)).records
            #expect(records.map { $0.error?.code } == [.badRequest, nil, .badRequest])
            #expect(try records[1].record().recordName == "A")
            // A missing zone is each element's fault, unless the element has one of its own.
            let elsewhere = try await answer(
                client, .recordsLookup, #"{"zoneID":{"zoneName":"none"},"records":[{"recordName":"A"},5]}"#)
            let codes = try RecordsResponse(wireJSON: Array(elsewhere.utf8)).records.map { $0.error?.code }
            #expect(codes == [.zoneNotFound, .badRequest])
        }
    }

    @Test("zones/lookup and zones/modify: so it is with zones, and the good operations are carried out")
    func zones() async throws {
        try await withServer { client, _ in
            let text = try await answer(
                client, .zonesLookup, #"{"zones":[{"zoneName":5},null,{"zoneID":{}},{"zoneName":"missing"}]}"#)
            let missing =
                #"{"zoneID":{"zoneName":"missing"},"serverErrorCode":"ZONE_NOT_FOUND","#
                + #""reason":"Zone 'missing' does not exist"}"#
            let refused = [
                bad("zoneName: expected a string, found a number"), bad("expected an object, found null"),
                bad("a zone needs a zoneName"), missing,
            ]
            #expect(text == "{\"zones\":[\(refused.joined(separator: ","))]}")
            let operations = [
                #"{"operationType":"explode","zone":{"zoneID":{"zoneName":"Q"}}}"#, "5", #"{"operationType":"create"}"#,
                #"{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}"#,
                #"{"operationType":"create","zone":{"zoneID":{"zoneName":"_x"}}}"#,
            ].joined(separator: ",")
            let done = try await answer(client, .zonesModify, "{\"operations\":[\(operations)]}")
            let before = [
                bad("unknown operationType 'explode'", #""zoneID":{"zoneName":"Q"},"#),
                bad("expected an object, found a number"), bad("an operation needs a zone"),
            ]
            #expect(done.hasPrefix("{\"zones\":[\(before.joined(separator: ",")),{\"zoneID\":"), "\(done)")
            #expect(done.hasSuffix(",\(bad("zoneName must not start with '_'", #""zoneID":{"zoneName":"_x"},"#))]}"))
            let list: ZonesResponse = try await client.call(.zonesList)
            #expect(list.zones.count == 2)
        }
    }

    @Test("changes/zone: the other zones have their pages; deletions have a type that is null")
    func changes() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            try await client.save("A")
            let token = try await client.follow().token ?? ""
            try await client.save(.forceDelete, "A")
            let zone = "{\"zoneID\":{\"zoneName\":\"Z\"},\"syncToken\":\"\(token)\"}"
            let text = try await answer(
                client, .changesZone, #"{"zones":[{"zoneID":{"zoneName":"Q"},"reverse":"yes"},5,\#(zone)]}"#)
            let refused = [
                bad("reverse: expected true or false, found a string", #""zoneID":{"zoneName":"Q"},"#),
                bad("expected an object, found a number"),
            ]
            #expect(text.hasPrefix("{\"zones\":[\(refused.joined(separator: ",")),{\"zoneID\":"), "\(text)")
            let deletion = #""records":[{"recordName":"A","recordType":null,"recordChangeTag":""#
            #expect(text.contains(deletion), "\(text)")
            let older = try await answer(client, .recordsChanges, zone)
            #expect(older.contains(deletion), "\(older)")
            let deleted = try await answer(
                client, .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceDelete","record":{"recordName":"A"}}]}"#
            )
            #expect(deleted == #"{"records":[{"recordName":"A","deleted":true}]}"#)
        }
    }

    @Test("subscriptions/lookup and subscriptions/modify")
    func subscriptions() async throws {
        try await withServer { client, _ in
            let text = try await answer(
                client, .subscriptionsLookup, #"{"subscriptions":[{"subscriptionID":5},{},{"subscriptionID":"nope"}]}"#)
            let refused = [
                bad("subscriptionID: expected a string, found a number"),
                bad("a subscription to look up needs a subscriptionID"),
                #"{"subscriptionID":"nope","serverErrorCode":"NOT_FOUND","reason":"Subscription not found"}"#,
            ]
            #expect(text == "{\"subscriptions\":[\(refused.joined(separator: ","))]}")
            let operations = [
                #"{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"moon"}}"#,
                #"{"operationType":"create","subscription":{"subscriptionID":"d","subscriptionType":"database"}}"#,
                #"{"subscription":{"subscriptionID":"t"}}"#, "null",
                #"{"operationType":"create","subscription":{"subscriptionID":"u"}}"#,
            ].joined(separator: ",")
            let done = try await answer(client, .subscriptionsModify, "{\"operations\":[\(operations)]}")
            let answers = [
                bad("unknown subscriptionType 'moon'", #""subscriptionID":"s","#),
                #"{"subscriptionID":"d","subscriptionType":"database"}"#,
                bad("an operation needs an operationType", #""subscriptionID":"t","#),
                bad("expected an object, found null"),
                bad("a subscription needs a subscriptionType", #""subscriptionID":"u","#),
            ]
            #expect(done == "{\"subscriptions\":[\(answers.joined(separator: ","))]}")
            let kept: SubscriptionsResponse = try await client.call(.subscriptionsList)
            #expect(kept.subscriptions.count == 1)
        }
    }

    @Test("assets/upload: a file that no field could take has an error in its place, the others an address")
    func uploads() async throws {
        try await withServer { client, _ in
            let tokens = [
                #"{"recordName":"A","recordType":"T","fieldName":"file"}"#, #"{"recordName":"B"}"#,
                #"{"fieldName":5}"#, #"{"recordName":"C","fieldName":"a b"}"#, #"{"recordName":"_d","fieldName":"f"}"#,
            ].joined(separator: ",")
            let text = try await answer(client, .assetsUpload, "{\"tokens\":[\(tokens)]}")
            let refused = [
                bad("an upload token needs a fieldName", #""recordName":"B","#),
                bad("fieldName: expected a string, found a number"),
                bad(
                    "field name 'a b' must be 1 to 255 letters, digits and '_' and start with a letter",
                    #""recordName":"C","fieldName":"a b","#),
                bad("recordName must not start with '_'", #""recordName":"_d","fieldName":"f","#),
            ]
            #expect(text.hasSuffix(",\(refused.joined(separator: ","))]}"), "\(text)")
            let places = try AssetUploadResponse(wireJSON: Array(text.utf8)).tokens
            #expect(places.map { $0.error == nil } == [true, false, false, false, false])
            let sent = try await client.send(places[0].url, body: [1, 2, 3])
            #expect(sent.status == 200, "\(sent.text)")
        }
    }

    @Test("what is no element is still the whole request's: JSON, the list, and how many there are")
    func wholeRequest() async throws {
        try await withServer({ $0.standardLimits.operations = 3 }) { client, _ in
            try await client.makeZone()
            let lists: [(WireEndpoint, String)] = [
                (.recordsLookup, "records"), (.recordsModify, "operations"), (.zonesLookup, "zones"),
                (.zonesModify, "operations"), (.changesZone, "zones"), (.subscriptionsLookup, "subscriptions"),
                (.subscriptionsModify, "operations"), (.assetsUpload, "tokens"),
            ]
            for (endpoint, list) in lists {
                for body in ["{", "{\"\(list)\":[5}", "{\"\(list)\":5}", "{\"\(list)\":null}", "{}"] {
                    let answer = try await client.raw(endpoint, body)
                    #expect(answer.status == 400, "\(endpoint) \(body): \(answer.text)")
                }
                let few = try await client.raw(endpoint, "{\"\(list)\":[5,null,[]]}")
                #expect(few.status == 200, "\(endpoint): \(few.text)")
                let many = try await client.raw(endpoint, "{\"\(list)\":[5,null,[],{}]}")
                #expect(many.status == 400, "\(endpoint): \(many.text)")
                #expect(try WireError(wireJSON: many.body).isLimitExceeded)
            }
        }
    }

    @Test("a user who only reads: a bad operation is refused as bad, a good one as a change")
    func reader() async throws {
        try await withServer({
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.containers = .any
            $0.users = [.init(userRecordName: "_r", webAuthToken: strong("reader"), isReadOnly: true)]
        }) { client, _ in
            var reader = client
            reader.bearer = strong("reader")
            let good: [(WireEndpoint, String)] = [
                (.zonesModify, #"{"operationType":"create","zone":{"zoneName":"Z"}}"#),
                (
                    .subscriptionsModify,
                    #"{"operationType":"create","subscription":{"subscriptionID":"d","subscriptionType":"database"}}"#
                ),
            ]
            for (endpoint, operation) in good {
                let text = try await answer(reader, endpoint, "{\"operations\":[5,\(operation)]}")
                let first = text.firstRange(of: "BAD_REQUEST"), second = text.firstRange(of: "ACCESS_DENIED")
                #expect(first != nil && second != nil, "\(text)")
                if let first, let second { #expect(first.lowerBound < second.lowerBound, "\(text)") }
            }
        }
    }
}
