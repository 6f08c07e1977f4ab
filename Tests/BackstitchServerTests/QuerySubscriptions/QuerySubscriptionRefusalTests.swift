import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// Subscriptions that the server refuses, and those that it limits.
@Suite("refusals of query subscriptions") struct QuerySubscriptionRefusalTests {
    @Test("one that makes no sense is refused by itself", arguments: StorageKind.allCases)
    func nonsense(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            func subscription(_ rest: String) -> String {
                #"{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"query"\#(rest)}}"#
            }
            let zone = #""zoneID":{"zoneName":"Z"}"#
            func query(_ filter: String) -> String { #"\#(zone),"query":{"recordType":"T","filterBy":[\#(filter)]}"# }
            let cases: [(String, WireErrorCode, String)] = [
                (zone, .badRequest, "needs a query"),
                (#"\#(zone),"query":{}"#, .badRequest, "recordType"),
                (#"\#(zone),"query":{"recordType":"1"}"#, .badRequest, "recordType"),
                (query(#"{"comparator":"LIKE","fieldName":"a","fieldValue":{"value":1}}"#), .badRequest, "LIKE"),
                (
                    query(#"{"comparator":"IN","fieldName":"a","fieldValue":{"value":1}}"#), .badRequest,
                    "field 'a': IN takes a list"
                ),
                (query(#"{"comparator":"EQUALS","fieldName":"_a","fieldValue":{"value":1}}"#), .badRequest, "_a"),
                (query("") + #","firesOn":[]"#, .badRequest, "firesOn"),
                (query("") + #","firesOn":["touch"]"#, .badRequest, "touch"),
                (#""zoneID":{"zoneName":"none"},"query":{"recordType":"T"}"#, .zoneNotFound, "none"),
            ]
            for (rest, code, reason) in cases {
                let answer = try await client.raw(
                    .subscriptionsModify,
                    #"{"operations":[\#(subscription("," + rest)),\#(subscription("," + query("")))]}"#)
                #expect(answer.status == 200, "\(answer.text)")
                let results = try SubscriptionsResponse(wireJSON: answer.body).subscriptions
                #expect(results.first?.error?.code == code, "\(rest): \(results)")
                #expect(results.first?.error?.reason.contains(reason) == true, "\(rest): \(results)")
                #expect(results.count == 2 && results.last?.error == nil, "\(rest): \(results)")
            }
            let many = (0...QueryLimits.filters).map { QueryFilter("f\($0)", .equals, .int64(1)) }
            #expect(try await client.subscribe(wish("s", many)).error?.isLimitExceeded == true)
            var shown = wish("shown")
            shown.notificationInfo = .init()
            shown.notificationInfo?.alertLocalizationKey = "CHANGED"
            shown.notificationInfo?.alertLocalizationArgs = Array(repeating: "t", count: 17)
            let over = try await client.subscribe(shown).error
            #expect(over?.isLimitExceeded == true)
            #expect(over?.reason.contains("subscription 'shown' has 17 alertLocalizationArgs, at most 16") == true)
            shown.notificationInfo?.alertLocalizationArgs = Array(repeating: "t", count: 16)
            try await client.mustSubscribe(shown)
            let shared = try await client.on("shared").subscribe(wish("s"))
            #expect(shared.error?.reason == "endpoint not applicable in the database type 'shareddb'")
        }
    }

    @Test(
        "create is taken once, and again when it says the same; update needs something to change",
        arguments: StorageKind.allCases)
    func exists(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let first = wish("q", [QueryFilter("n", .equals, .double(1))])
            #expect(try await client.subscribe(first, .update).error?.code == .notFound)
            let made = try await client.mustSubscribe(first)
            #expect(try await client.mustSubscribe(first) == made)
            #expect(try await client.mustSubscribe(made) == made)
            let other = wish("q", [QueryFilter("n", .equals, .double(2))])
            #expect(try await client.subscribe(other).error?.code == .exists)
            let database = WireSubscription(subscriptionID: "q", subscriptionType: .database)
            #expect(try await client.subscribe(database).error?.code == .exists)
            let list: SubscriptionsResponse = try await client.call(.subscriptionsList)
            #expect(list.subscriptions == [.subscription(made)])
            let changed = try await client.mustSubscribe(other, .update)
            #expect(changed.query?.filterBy == other.query?.filterBy)
            try await client.mustSubscribe(database, .update)
            let device = try await WaitingDevice(client)
            try await client.save("A", ["n": .double(2)])
            #expect(try await device.news() == ["q database"])
        }
    }

    @Test("in production a field must be declared, as for a query")
    func production() async throws {
        try await withServer({ $0.queryIndexes["Item"] = ["done"] }) { client, _ in
            var client = client
            client.environment = "production"
            try await client.makeZone()
            try await client.mustSubscribe(wish("q", [QueryFilter("done", .equals, .int64(1))]))
            let error = try await client.subscribe(wish("p", [QueryFilter("other", .equals, .int64(1))])).error
            #expect(error?.reason == "Field 'other' is not marked queryable")
        }
    }

    @Test("nobody is told of a record that the public database does not let them read")
    func roles() async throws {
        try await withServer({
            for rule in ["Diary:_icloud=create;_creator=write", "Secret:_creator="] {
                let isSet = $0.publicRoles.set(rule)
                #expect(isSet, "\(rule)")
            }
        }) { client, _ in
            let ann = client.user("_ann").on("public"), bob = client.user("_bob").on("public")
            let device = try await WaitingDevice(ann)
            try await ann.mustSubscribe(wish("diary", type: "Diary", zone: nil))
            #expect(try await ann.subscribe(wish("s", type: "Secret", zone: nil)).error?.code == .accessDenied)
            for (user, name) in [(bob, "bob's"), (ann, "ann's")] {
                let record = RecordOperation(.create, WireRecord(recordName: name, recordType: "Diary"))
                #expect(try await user.modify([record], zone: nil)[0].error == nil)
            }
            #expect(try await device.news() == ["diary create ann's"])
        }
    }

    @Test(
        "a user has so many in a database, and a type of records so many of all users", arguments: StorageKind.allCases)
    func ceilings(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, server in
            let ann = client.user("_ann").on("public"), bob = client.user("_bob").on("public")
            for number in 0..<QuerySubscriptionLimits.ofUser {
                try await ann.mustSubscribe(wish("\(number)", zone: nil))
            }
            let over = try await ann.subscribe(wish("over", zone: nil))
            #expect(over.error?.code == .quotaExceeded)
            #expect(over.error?.reason.contains("\(QuerySubscriptionLimits.ofUser) query subscriptions") == true)
            try await ann.mustSubscribe(wish("0", type: "Other", zone: nil), .update)
            // Bob's has its place beside those of many others, until there are too many.
            let service = try #require(server.state.withLock { $0.service })
            let database = DatabaseKey(
                tenant: "iCloud.test/development", scope: .public, owner: DatabaseKey.publicOwner)
            let rest = QuerySubscriptionLimits.ofType - QuerySubscriptionLimits.ofUser
            try await service.context.storage.write { writing in
                let owner = try #require(try writing.owner(database))
                for number in 0..<rest { try writing.putSubscription(owner, user: "_\(number)", wish("q", zone: nil)) }
            }
            try await bob.mustSubscribe(wish("last", zone: nil))
            let error = try await bob.subscribe(wish("q", zone: nil)).error
            #expect(error?.code == .quotaExceeded && error?.reason.contains("'Item'") == true)
            let device = try await WaitingDevice(bob)
            try await client.on("public").save("A", zone: nil)
            #expect(try await device.news() == ["last create A"])
        }
    }

    @Test("of many records one subscription is told once, and so is a device that has not looked for long")
    func many() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            let device = try await WaitingDevice(client)
            try await client.mustSubscribe(wish("q"))
            let named = QuerySubscriptionLimits.named
            try await client.modify((0..<named).map { create("a\($0)") })
            #expect(try await device.news() == (0..<named).map { "q create a\($0)" })
            try await client.modify((0...named).map { create("b\($0)") })
            #expect(try await device.news() == ["q * *"])
            let text = #""p":1,"qry":{"sid":"q","dbs":2}"#
            for number in 0...named { try await client.save("c\(number)") }
            // A poll of another device of the user: all of that was told before the next subscription is made.
            _ = try await WaitingDevice(client).news()
            try await client.mustSubscribe(WireSubscription(subscriptionID: "db", subscriptionType: .database))
            try await client.save("d")
            #expect(try await device.nextText()?.contains(text) == true)
            #expect(try await device.news() == ["db database"])
            // The next push is told by name again.
            try await client.save("e")
            #expect(try await device.news() == ["db database", "q create e"])
        }
    }

    @Test("a notification shows the beginnings of long values, and no more of them than there may be")
    func shownValues() throws {
        let long = String(repeating: "é", count: 200_000)
        let fields = try RecordFields.encode(["t": .string(long), "s": .string("x")], of: "r", limit: 1 << 20)
        let change = RecordChange(
            change: .create,
            record: StoredRecord(
                name: "r", type: "Item", sequence: 1, deleted: false, flags: [], created: 1, createdBy: "_a",
                createdOn: "2", modified: 1, modifiedBy: "_a", parent: nil, fields: fields),
            zone: ZoneID.defaultZoneName)
        // As one that was made before there was a ceiling.
        var subscription = wish("q", zone: nil)
        subscription.notificationInfo = .init()
        subscription.notificationInfo?.alertLocalizationArgs = ["s"] + Array(repeating: "t", count: 900)
        let stored = [StoredSubscription(user: "_u", subscription: subscription)]
        var matcher = QuerySubscriptionMatcher(try ChangedRecords([change], ofTypes: ["Item"]), nil)
        let shown = try matcher.firings(of: stored).first?.news.first?.arguments
        #expect(shown == ["x"] + Array(repeating: String(repeating: "é", count: 128), count: 15))
    }

    @Test("a push spends so much on the subscriptions of others, and tells the rest that there may be something")
    func bounded() throws {
        let text = WireValue.string(String(repeating: "word ", count: 4_000))
        let fields = try RecordFields.encode(["text": text], of: "r", limit: 1 << 20)
        let changes = (0..<20).map { number in
            RecordChange(
                change: .create,
                record: StoredRecord(
                    name: "r\(number)", type: "Item", sequence: 1, deleted: false, flags: [], created: 1,
                    createdBy: "_a", createdOn: "2", modified: 1, modifiedBy: "_a", parent: nil, fields: fields),
                zone: ZoneID.defaultZoneName)
        }
        let subscriptions = (0..<2_000).map { number in
            StoredSubscription(
                user: "_\(number)",
                subscription: wish("q", [QueryFilter("text", .containsAllTokens, .string("absent"))], zone: nil))
        }
        let start = ContinuousClock.now
        var matcher = QuerySubscriptionMatcher(try ChangedRecords(changes, ofTypes: ["Item"]), nil)
        let firings = try matcher.firings(of: subscriptions)
        // Tried to the end this takes minutes.
        #expect(ContinuousClock.now - start < .seconds(30))
        // Each subscription is tried 20 times, for 1 + (1 + 20,000 / 32) units.
        let tried = QuerySubscriptionLimits.work / (20 * 627)
        #expect(firings.count == 2_000 - tried)
        #expect(firings.allSatisfy { $0.news == [.unnamed] })
    }
}
