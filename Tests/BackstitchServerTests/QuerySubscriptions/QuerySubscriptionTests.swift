import BackstitchSupport
import BackstitchTestKit
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("query subscriptions") struct QuerySubscriptionTests {
    private let isDone = QueryFilter("done", .equals, .int64(1))

    @Test(
        "a device is told of each record that the query holds for, when it is made, changed and deleted",
        arguments: StorageKind.allCases)
    func fires(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let device = try await WaitingDevice(client)
            try await client.mustSubscribe(wish("q", [isDone]))
            try await client.modify([create("A", ["done": .int64(1)]), create("B", ["done": .int64(0)])])
            #expect(try await device.news() == ["q create A"])
            try await client.save(.forceUpdate, "B", ["done": .int64(1)])
            try await client.save(.forceUpdate, "A", ["done": .int64(0)])
            // A save is judged by the new record, a deletion by the old one.
            #expect(try await device.news() == ["q update B"])
            try await client.modify([operation(.forceDelete, "A"), operation(.forceDelete, "B")])
            #expect(try await device.news() == ["q delete B"])
            // A record that is made again is made.
            try await client.save(.forceUpdate, "B", ["done": .int64(1)])
            try await client.modify([RecordOperation(.create, WireRecord(recordName: "C", recordType: "Other"))])
            try await client.save(.forceDelete, "nothing")
            #expect(try await device.news() == ["q create B"])
            // A request that fails as a whole notifies no device.
            let failed = try await client.modify(
                [create("D", ["done": .int64(1)]), create("B")], atomic: true)
            #expect(failed.allSatisfy { $0.error != nil })
            #expect(try await device.news() == [])
        }
    }

    @Test("a notification has the documented form", arguments: StorageKind.allCases)
    func form(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let device = try await WaitingDevice(client)
            try await client.mustSubscribe(wish("q"))
            try await client.save("A")
            let text = try #require(try await device.nextText())
            let id = try PushNotification(wireJSON: Array(text.utf8)).notificationID
            #expect(
                text
                    == #"{"aps":{"content-available":1},"ck":{"ce":2,"cid":"iCloud.test","nid":"\#(id)","#
                    + #""ckuserid":"_development","#
                    + #""qry":{"sid":"q","rid":"A","fo":1,"zid":"Z","zoid":"_development","dbs":2}}}"#)
            // In the public database the notification says so.
            let shared = client.on("public")
            try await shared.mustSubscribe(wish("p", zone: nil))
            try await shared.save("A", zone: nil)
            let heard = try #require(try await device.next())
            #expect(heard.databaseScope == 1 && heard.news == "p create A")
        }
    }

    @Test("a subscription is kept as it was made, with what was left out", arguments: StorageKind.allCases)
    func kept(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            var wanted = wish("q", [isDone], on: [.delete, .create, .create])
            wanted.notificationInfo = .init()
            wanted.notificationInfo?.alertLocalizationArgs = ["title"]
            wanted.notificationInfo?.additionalFields = ["done"]
            wanted.query?.sortBy = [QuerySort("done")]
            let made = try await client.mustSubscribe(wanted)
            #expect(made.firesOn == [.create, .delete] && made.query?.sortBy == [] && made.firesOnce == nil)
            #expect(made.zoneID == ZoneID(zoneName: "Z", ownerRecordName: "_development", zoneType: .custom))
            #expect(made.notificationInfo == wanted.notificationInfo)
            let list: SubscriptionsResponse = try await client.call(.subscriptionsList)
            #expect(list.subscriptions == [.subscription(made)])
            let found: SubscriptionsResponse = try await client.call(
                .subscriptionsLookup, SubscriptionsLookupRequest(subscriptionIDs: ["q"]))
            #expect(found.subscriptions == [.subscription(made)])
            let plain = try await client.mustSubscribe(wish("p", zone: nil))
            #expect(plain.firesOn == [.create, .update, .delete])
            #expect(plain.zoneID?.zoneName == ZoneID.defaultZoneName && plain.zoneWide == nil)
            let wide = try await client.mustSubscribe(wish("w", zone: nil, wide: true, once: true))
            #expect(wide.zoneID == nil && wide.zoneWide == true && wide.firesOnce == true)
        }
    }

    @Test("zone, kinds of changes, and once: each holds", arguments: StorageKind.allCases)
    func options(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            for zone in ["Y", "Z"] { try await client.makeZone(zone) }
            let device = try await WaitingDevice(client)
            try await client.mustSubscribe(wish("default", zone: nil))
            try await client.mustSubscribe(wish("deletions", on: [.delete]))
            try await client.mustSubscribe(wish("once", once: true))
            try await client.mustSubscribe(wish("wide", zone: nil, wide: true))
            try await client.save("a", zone: nil)
            #expect(try await device.news().sorted() == ["default create a", "wide create a"])
            try await client.save("b", zone: "Y")
            #expect(try await device.news() == ["wide create b"])
            try await client.modify([create("c"), create("d")])
            #expect(try await device.news() == ["once create c", "wide create c", "wide create d"])
            try await client.save("e")
            #expect(try await device.news() == ["wide create e"])
            let list: SubscriptionsResponse = try await client.call(.subscriptionsList)
            #expect(list.subscriptions.count == 3)
            // A record deleted by a cascade counts as deleted.
            let child: [String: WireValue?] = [
                "parent": .reference(WireReference(recordName: "c", action: .deleteSelf))
            ]
            try await client.save("child", child)
            #expect(try await device.news() == ["wide create child"])
            try await client.save(.forceDelete, "c")
            #expect(
                try await device.news() == [
                    "deletions delete c", "deletions delete child", "wide delete c", "wide delete child",
                ])
        }
    }

    @Test("the device that made the change is not told of it, other users are in the public database")
    func others() async throws {
        try await withServer { client, _ in
            let ann = client.user("_ann").on("public"), bob = client.user("_bob").on("public")
            let devices = [try await WaitingDevice(ann), try await WaitingDevice(ann), try await WaitingDevice(bob)]
            for user in [ann, bob] { try await user.mustSubscribe(wish("q", zone: nil)) }
            try await devices[0].client.save("A", zone: nil)
            #expect(try await devices[0].news() == [])
            #expect(try await devices[1].news() == ["q create A"])
            #expect(try await devices[2].news() == ["q create A"])
        }
    }

    @Test("a waiting poll is woken")
    func wakes() async throws {
        try await withServer { client, server in
            try await client.makeZone()
            let device = try await WaitingDevice(client)
            try await client.mustSubscribe(wish("q", [isDone]))
            let service = try #require(server.state.withLock { $0.service })
            async let heard = device.next(wait: 60)
            #expect(try await eventually { service.context.push.hub.waiting == 1 })
            try await client.save("A", ["done": .int64(0)])
            #expect(service.context.push.hub.waiting == 1)
            try await client.save("B", ["done": .int64(1)])
            #expect(try await heard?.news == "q create B")
        }
    }

    @Test(
        "a filter of a subscription means what it means in records/query, for all comparators",
        arguments: StorageKind.allCases)
    func meaning(_ kind: StorageKind) async throws {
        let seed = SeededGenerator.seed()
        print("counted: filters of subscriptions on \(kind), seed \(seed)")
        var source = QueryComparatorTests.Source(random: SeededGenerator(seed: seed))
        let users = QueryFilter.Comparator.allCases.map { comparator in
            ("_\(comparator.rawValue.lowercased())", (0..<3).map { _ in source.filter(comparator) })
        }
        try await withServer(on: kind) { client, _ in
            // Each user hears of the public database, and looks there.
            var devices: [WaitingDevice] = []
            for (user, filters) in users {
                let user = client.user(user).on("public")
                for (number, filter) in filters.enumerated() {
                    try await user.mustSubscribe(wish("\(number)", [filter], zone: nil))
                }
                devices.append(try await WaitingDevice(user))
            }
            var heard = devices.map { _ in [String: Set<String>]() }
            for push in 0..<4 {
                let names = (0..<8).map { "r\(push * 8 + $0)" }
                let made = try await client.on("public").modify(
                    names.map { create($0, source.fields()) }, zone: nil)
                #expect(made.allSatisfy { $0.error == nil })
                for place in devices.indices {
                    for notification in try await devices[place].all() {
                        guard case .record(let name?, .create?, _) = notification.subject else {
                            throw TestFailure("\(notification)")
                        }
                        heard[place][notification.subscriptionID ?? "", default: []].insert(name)
                    }
                }
            }
            for (place, (_, filters)) in users.enumerated() {
                for (number, filter) in filters.enumerated() {
                    let found = try await devices[place].client.query(
                        RecordQuery(recordType: "Item", filterBy: [filter]), zone: nil)
                    #expect(
                        heard[place]["\(number)", default: []] == Set(found.map(\.recordName)),
                        "seed \(seed): \(filter)")
                }
            }
        }
    }
}
