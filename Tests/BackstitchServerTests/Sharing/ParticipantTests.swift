import CloudWire
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("who takes part in a share") struct ParticipantTests {
    @Test("every endpoint in the shared database answers a guest by the guest's part", arguments: StorageKind.allCases)
    func matrix(_ kind: StorageKind) async throws {
        try await SharedPlace.with(
            on: kind, { $0.users.append(.init(userRecordName: "_erin", webAuthToken: strong("erin"))) }
        ) { place in
            let guid = try await place.share([
                SharedPlace.invitation("bob@example.org", .readWrite, type: .administrator),
                SharedPlace.invitation("carol@example.org", .readWrite),
                SharedPlace.invitation("dave@example.org", .readOnly),
            ])
            for name in ["bob", "carol", "dave"] { try await place.accept(guid, name) }
            for (name, mayRead, mayWrite, mayInvite) in [
                ("bob", true, true, true), ("carol", true, true, false), ("dave", true, false, false),
                ("erin", false, false, false),
            ] {
                let guest = place.guest(name), about: Comment = "\(name)"
                func code(_ endpoint: WireEndpoint, _ body: String) async throws -> (String?, String) {
                    let text = try await guest.client.raw(endpoint, body).text
                    let code = WireErrorCode.allCases.first { text.contains(#""serverErrorCode":"\#($0.rawValue)""#) }
                    return (code?.rawValue, text)
                }
                let id = #""zoneID":{"zoneName":"Z","ownerRecordName":"_alice"}"#
                let readings: [(WireEndpoint, String)] = [
                    (.recordsLookup, #"{\#(id),"records":[{"recordName":"list"}]}"#),
                    (.recordsQuery, #"{\#(id),"query":{"recordType":"Item"}}"#),
                    (.changesZone, #"{"zones":[{\#(id)}]}"#), (.recordsChanges, #"{\#(id)}"#),
                    (.zonesLookup, #"{"zones":[{\#(id)}]}"#),
                ]
                for (endpoint, body) in readings {
                    let (code, text) = try await code(endpoint, body)
                    #expect(code == (mayRead ? nil : "ZONE_NOT_FOUND"), "\(name) \(endpoint): \(text)")
                    if !mayRead { #expect(!text.contains("Food")) }
                }
                let record = #"{"recordName":"\#(name)","recordType":"Item","fields":{}}"#
                let change = #"{\#(id),"operations":[{"operationType":"create","record":\#(record)}]}"#
                let refusal = mayRead ? "ACCESS_DENIED" : "ZONE_NOT_FOUND"
                #expect(try await code(.recordsModify, change).0 == (mayWrite ? nil : refusal), about)
                let upload = #"{\#(id),"tokens":[{"recordType":"Item","fieldName":"photo"}]}"#
                #expect(try await code(.assetsUpload, upload).0 == (mayWrite ? nil : refusal), about)
                let zone = #"{"operations":[{"operationType":"create","zone":{\#(id)}}]}"#
                #expect(try await code(.zonesModify, zone).0 == "BAD_REQUEST", about)
                // Only the owner reaches it as a private zone.
                let mine = try await place.user(name).raw(.changesZone, #"{"zones":[{\#(id)}]}"#).text
                #expect(mine.contains("ZONE_NOT_FOUND") && !mine.contains("Food"), about)
                let share = try await place.alice.lookup([WireShare.zoneShareName])[0].record().share
                var invited = share?.participants ?? []
                invited.append(SharedPlace.invitation("friend.of.\(name)@example.org", .readOnly))
                let saved = try await place.save(invited, by: guest.client)
                #expect(saved.error?.code.rawValue == (mayInvite ? nil : refusal), about)
                #expect(try await place.save(as: .create, by: guest.client).error != nil, about)
            }
        }
    }

    @Test("addresses of invitations are shown to the owner, to administrators and to the one who is invited")
    func addresses() async throws {
        try await SharedPlace.with(on: .directory) { place in
            let guid = try await place.share([
                SharedPlace.invitation("bob@example.org", type: .administrator),
                SharedPlace.invitation("carol@example.org"), SharedPlace.invitation("waiting@example.org"),
            ])
            try await place.accept(guid, "bob")
            try await place.accept(guid, "carol")
            func addresses(_ client: TestClient) async throws -> Set<String> {
                let zone = client.database == "shared" ? SharedPlace.zone : TestClient.zone
                let answer: RecordsResponse = try await client.call(
                    .recordsLookup,
                    RecordsLookupRequest(zoneID: zone, records: [.init(recordName: WireShare.zoneShareName)]))
                let share = try answer.records[0].record().share
                return Set(share?.participants?.compactMap(\.userIdentity.lookupInfo?.emailAddress) ?? [])
            }
            let all: Set = ["alice", "bob", "carol", "waiting"].map { "\($0)@example.org" }.reduce(into: []) {
                $0.insert($1)
            }
            #expect(try await addresses(place.alice) == all)
            #expect(try await addresses(place.guest("bob").client) == all)
            #expect(try await addresses(place.guest("carol").client) == ["carol@example.org"])
        }
    }

    @Test(
        "a guest whom the owner removes loses the zone at once, and the others keep it", arguments: StorageKind.allCases
    )
    func removal(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(["bob", "carol"].map { SharedPlace.invitation("\($0)@example.org") })
            try await place.accept(guid, "bob")
            try await place.accept(guid, "carol")
            let bob = place.guest("bob"), carol = place.guest("carol")
            let token = try await bob.database().token, page = try await carol.page().syncToken
            let share = try await place.alice.lookup([WireShare.zoneShareName])[0].record().share
            let left = share?.participants?.filter { $0.userIdentity.userRecordName != "_bob" }
            _ = try await place.save(left).record()
            #expect(try await bob.database(token).zones.map(\.deleted) == [true])
            #expect(try await bob.modify([create("x")])[0].error?.code == .zoneNotFound)
            await expectFailure(.accessDenied) { try await place.accept(guid, "bob") }
            #expect(try await carol.page(page).records.map(\.recordName) == [WireShare.zoneShareName])
            _ = try await carol.modify([create("x")])[0].record()
        }
    }

    @Test(
        "who came with the address is invited by another entry, wherever that is in the list",
        arguments: [true, false])
    func promotion(isLast: Bool) async throws {
        try await SharedPlace.with(on: .directory) { place in
            let guid = try await place.share(everybody: .readWrite, [])
            try await place.accept(guid, "bob")
            let share = try await place.alice.lookup([WireShare.zoneShareName])[0].record().share
            let present = share?.participants ?? []
            let id = try #require(present.first { $0.type == .publicUser }?.participantID)
            let invited = WireParticipant(
                .init(lookupInfo: UserLookupInfo(userRecordName: "_bob")), type: .user, permission: .readOnly)
            let asked = isLast ? present + [invited] : [invited] + present
            let saved = try await place.save(everybody: SharePermission.none, asked).record().share
            let bob = try #require(saved?.participants?.first { $0.userIdentity.userRecordName == "_bob" })
            #expect(saved?.participants?.count == 2 && bob.participantID == id)
            #expect(bob.type == .user && bob.permission == .readOnly && bob.acceptanceStatus == .accepted)
            _ = try await place.guest("bob").lookup(["list"])[0].record()
            // The same entry twice, and two invitations, are mistakes still.
            for twice in [[bob, bob], [bob, invited], [invited, invited]] {
                #expect(try await place.save(twice).error?.code == .badRequest)
            }
        }
    }

    @Test("a share that makes no sense is refused, and changes nothing")
    func refusals() async throws {
        try await SharedPlace.with(on: .directory) { place in
            let alice = place.alice
            func refused(
                _ name: String = WireShare.zoneShareName, type: String = WireShare.recordType,
                fields: [String: WireValue?] = [:], zone: String? = "Z", _ change: (inout WireShare) -> Void = { _ in }
            ) async throws -> WireErrorCode? {
                var record = WireRecord(recordName: name, recordType: type, fields: fields), share = WireShare()
                change(&share)
                record.share = share
                return try await alice.modify([RecordOperation(.create, record)], zone: zone)[0].error?.code
            }
            #expect(try await refused(zone: nil) == .badRequest)
            #expect(try await refused("Share-1") == .badRequest)
            #expect(try await refused(type: "Item") == .badRequest)
            #expect(try await refused { $0.forRecord = .init(recordName: "list") } == .badRequest)
            #expect(try await refused(fields: ["a": .reference(WireReference(recordName: "list"))]) == .badRequest)
            #expect(try await refused { $0.publicPermission = .unknown } == .badRequest)
            #expect(try await refused { $0.participants = [WireParticipant(.init())] } == .badRequest)
            #expect(try await refused { $0.participants = [SharedPlace.invitation("nobody")] } == .badRequest)
            #expect(
                try await refused { share in
                    share.participants = (0..<100).map { SharedPlace.invitation("p\($0)@example.org") }
                } == .badRequest)
            #expect(
                try await refused { share in
                    share.participants = ["a@example.org", "A@example.org"].map { SharedPlace.invitation($0) }
                } == .badRequest)
            #expect(try await alice.lookup([WireShare.zoneShareName])[0].error?.code == .notFound)
            // Each name of a system field has its meaning in a share only.
            #expect(
                try await alice.modify([create("r", ["cloudkit.title": .string("x")])])[0].error?.code == .badRequest)
            let guid = try await place.share()
            #expect(try await place.save(as: .create).error?.code == .conflict)
            #expect(try await place.save([WireParticipant(.init(), participantID: "none")]).error?.code == .badRequest)
            // The owner accepts nothing, and needs no invitation.
            #expect(try await place.accept(guid, "alice").databaseScope == .private)
            #expect(try await place.guest("alice").zones().isEmpty)
        }
    }

    @Test("a user who has come to many zones of others is refused at one more, and so are entries without end")
    func ceiling() async throws {
        try await SharedPlace.with(on: .directory, { $0.userQuotas.zones = 2 }) { place in
            /// Makes a zone that is readable for anyone with the address.
            func share(_ name: String, zone: String = "Z") async throws -> String {
                let owner = place.user(name)
                try await owner.makeZone(zone)
                var record = WireRecord(recordName: WireShare.zoneShareName, recordType: WireShare.recordType)
                record.share = WireShare()
                record.share?.publicPermission = .readOnly
                let saved = try await owner.modify([RecordOperation(.create, record)], zone: zone)[0].record()
                return try #require(saved.share?.shortGUID)
            }
            let owners = ["alice", "carol", "dave"]
            var guids: [String] = []
            for name in owners { guids.append(try await share(name)) }
            try await place.accept(guids[0], "bob")
            try await place.accept(guids[1], "bob")
            await expectFailure(.quotaExceeded) { try await place.accept(guids[2], "bob") }
            #expect(try await place.guest("bob").zones().count == 2)
            _ = try await place.alice.modify([operation(.forceDelete, WireShare.zoneShareName)])[0].record()
            // Zones that have ended are remembered, and take room at last.
            for number in 0..<18 {
                let owner = owners[number % 3], zone = "Short\(number)"
                try await place.accept(try await share(owner, zone: zone), "bob")
                let _: ZonesResponse = try await place.user(owner).call(
                    .zonesModify, ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: zone))]))
            }
            #expect(try await place.guest("bob").zones().count == 1)
            await expectFailure(.quotaExceeded) { try await place.accept(guids[2], "bob") }
        }
    }

    @Test("of several shares all are accepted, or none")
    func together() async throws {
        try await SharedPlace.with(on: .directory) { place in
            let guid = try await place.share(everybody: .readWrite)
            await expectFailure(.notFound) {
                let _: ShareResultsResponse = try await place.user("bob").on("public").call(
                    .recordsAccept, ShareGUIDsRequest(shortGUIDs: [ShortGUID(guid), ShortGUID("none")]))
            }
            #expect(try await place.guest("bob").zones().isEmpty)
        }
    }

    @Test(
        "devices of the owner and of all guests hear of a change, but for the one that made it",
        arguments: StorageKind.allCases)
    func news(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share(everybody: .readWrite)
            var devices: [String: (client: TestClient, url: String)] = [:]
            for name in ["alice", "bob", "carol"] {
                var client = name == "alice" ? place.alice : place.guest(name).client
                let made: PushToken = try await client.on("private").call(.tokensCreate, PushToken())
                client.device = made.apnsToken
                let subscription = WireSubscription(subscriptionID: "all", subscriptionType: .database)
                let _: SubscriptionsResponse = try await client.call(
                    .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(.create, subscription)]))
                devices[name] = (client, try #require(made.webcourierURL))
                if name != "alice" { try await place.accept(guid, name) }
            }
            func hears(_ name: String) async throws -> Bool {
                let device = try #require(devices[name])
                var heard = false
                while true {
                    let answer = try await device.client.send("\(device.url)&wait=0", method: .GET)
                    if answer.body.isEmpty { return heard }
                    heard = true
                    #expect(answer.text.contains(#""dbs":\#(name == "alice" ? 2 : 3)"#), "\(answer.text)")
                }
            }
            // The news of all new guests.
            for name in devices.keys { _ = try await hears(name) }
            let bob = SharedPlace.Guest(client: try #require(devices["bob"]?.client))
            _ = try await bob.modify([create("bread")])[0].record()
            #expect(try await hears("alice"))
            #expect(try await hears("carol"))
            #expect(try await !hears("bob"))
            try await devices["alice"]?.client.save("milk")
            #expect(try await hears("bob"))
            #expect(try await hears("carol"))
            #expect(try await !hears("alice"))
            // The end of the share is news for those whose zone is gone.
            _ = try await devices["alice"]?.client.modify([operation(.forceDelete, WireShare.zoneShareName)])
            #expect(try await hears("bob"))
        }
    }
}
