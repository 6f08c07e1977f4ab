import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Every endpoint in the shared database, called by every kind of participant of a share of a record.
@Suite("who takes part in the share of a record") struct RecordShareAccessTests {
    private typealias Place = SharedPlace

    /// A user, and the rights that the part of the user gives.
    private struct Part {
        var name: String
        var mayRead: Bool
        var mayWrite = false
        var mayInvite = false
    }

    private static let parts = [
        Part(name: "bob", mayRead: true, mayWrite: true, mayInvite: true),
        Part(name: "carol", mayRead: true, mayWrite: true), Part(name: "dave", mayRead: true),
        Part(name: "frank", mayRead: true), Part(name: "grace", mayRead: false), Part(name: "erin", mayRead: false),
    ]

    private func withParts(_ kind: StorageKind, _ body: (SharedPlace) async throws -> Void) async throws {
        try await Place.withHierarchy(
            on: kind,
            { configuration in
                for name in ["frank", "grace"] {
                    var user = ZoneServerConfiguration.User(userRecordName: "_\(name)", webAuthToken: strong(name))
                    user.emailAddress = "\(name)@example.org"
                    configuration.users.append(user)
                }
            }
        ) { place in
            let guid = try await place.shareRecord(
                "list", everybody: .readOnly,
                [
                    Place.invitation("bob@example.org", .readWrite, type: .administrator),
                    Place.invitation("carol@example.org", .readWrite), Place.invitation("dave@example.org", .readOnly),
                    // Was invited, and has not come.
                    Place.invitation("grace@example.org", .readWrite),
                ])
            for name in ["bob", "carol", "dave", "frank"] { try await place.accept(guid, name) }
            // Two records with a file each, one of them not shared. All unshared data contains the word.
            for (name, parent) in [("photo", "list"), ("nude", "diary")] {
                let file = try AssetUploadReceipt(
                    wireJSON: try await place.alice.upload(Array("\(name) canary".utf8)).body
                ).singleFile
                var operation = Place.item(name, in: parent, title: name == "nude" ? "canary" : "ok")
                operation.record.fields["file"] = .asset(file)
                _ = try await place.alice.modify([operation])[0].record()
            }
            _ = try await place.alice.modify([Place.item("page", in: "diary", as: .forceReplace, title: "canary")])
            try await body(place)
        }
    }

    private func code(_ text: String) -> String? {
        WireErrorCode.allCases.first { text.contains(#""serverErrorCode":"\#($0.rawValue)""#) }?.rawValue
    }

    @Test("reads by every endpoint what is shown, and nothing else", arguments: StorageKind.allCases)
    func reading(_ kind: StorageKind) async throws {
        try await withParts(kind) { place in
            let id = #""zoneID":{"zoneName":"Z","ownerRecordName":"_alice"}"#
            for part in Self.parts {
                let guest = place.guest(part.name)
                let readings: [(WireEndpoint, String)] = [
                    (.recordsLookup, #"{\#(id),"records":[{"recordName":"photo"},{"recordName":"list"}]}"#),
                    (.recordsQuery, #"{\#(id),"query":{"recordType":"Item"}}"#),
                    (
                        .recordsQuery,
                        #"{\#(id),"resultsLimit":1,"query":{"recordType":"Item","#
                            + #""sortBy":[{"fieldName":"title"}]}}"#
                    ),
                    (.changesZone, #"{"zones":[{\#(id)}]}"#), (.recordsChanges, #"{\#(id)}"#),
                    (.zonesLookup, #"{"zones":[{\#(id)}]}"#),
                    (.assetsRereference, #"{\#(id),"assets":[{"recordName":"photo","fieldName":"file"}]}"#),
                ]
                for (endpoint, body) in readings {
                    let text = try await guest.client.raw(endpoint, body).text
                    #expect(code(text) == (part.mayRead ? nil : "ZONE_NOT_FOUND"), "\(part.name) \(endpoint): \(text)")
                    for secret in ["canary", "diary", "nude", #""page""#] {
                        #expect(!text.contains(secret), "\(part.name) \(endpoint): \(text)")
                    }
                    for marker in text.matches(of: /"continuationMarker":"([^"]+)"/) {
                        let bytes = try #require(Data(base64Encoded: String(marker.1)))
                        #expect(
                            bytes.range(of: Data("canary".utf8)) == nil && bytes.range(of: Data("page".utf8)) == nil)
                    }
                }
                for (endpoint, what) in [
                    (WireEndpoint.recordsLookup, #""records":[{"recordName":"page"}]"#),
                    (.assetsRereference, #""assets":[{"recordName":"nude","fieldName":"file"}]"#),
                ] {
                    let text = try await guest.client.raw(endpoint, "{\(id),\(what)}").text
                    #expect(code(text) == (part.mayRead ? "NOT_FOUND" : "ZONE_NOT_FOUND"), "\(part.name): \(text)")
                }
                let mine = try await place.user(part.name).raw(.changesZone, #"{"zones":[{\#(id)}]}"#).text
                #expect(mine.contains("ZONE_NOT_FOUND"))
                #expect(try await guest.zones().count == (part.mayRead ? 1 : 0))
                #expect(try await guest.database().zones.count == (part.mayRead ? 1 : 0))
            }
        }
    }

    @Test("pages of a query have what is shown, in order, each once", arguments: StorageKind.allCases)
    func querying(_ kind: StorageKind) async throws {
        try await withParts(kind) { place in
            let guest = place.guest("dave").client
            var names: [String] = [], marker: String?
            repeat {
                let answer: RecordsQueryResponse = try await guest.call(
                    .recordsQuery,
                    RecordsQueryRequest(
                        zoneID: Place.zone,
                        query: RecordQuery(recordType: "Item", sortBy: [QuerySort("title")]),
                        resultsLimit: 1, continuationMarker: marker))
                names += try answer.records.map { try $0.record().recordName }
                marker = answer.continuationMarker
            } while marker != nil
            #expect(names == ["list", "bread", "fat", "milk", "photo"])
        }
    }

    @Test("no order tells of a parent that is hidden", arguments: StorageKind.allCases)
    func sortingByParent(_ kind: StorageKind) async throws {
        try await withParts(kind) { place in
            let query = RecordsQueryRequest(
                zoneID: Place.zone,
                query: RecordQuery(recordType: "Item", sortBy: [QuerySort("title"), QuerySort("___parent")]))
            let error = await expectFailure(.badRequest) {
                let answer: RecordsQueryResponse = try await place.guest("dave").client.call(.recordsQuery, query)
                return answer
            }
            #expect(error?.reason.contains("'parent'") == true)
            var own = query
            own.zoneID = ZoneID(zoneName: "Z")
            let answer: RecordsQueryResponse = try await place.alice.call(.recordsQuery, own)
            #expect(answer.records.count > 5)
        }
    }

    @Test("writes by every endpoint as the part allows", arguments: StorageKind.allCases)
    func writing(_ kind: StorageKind) async throws {
        try await withParts(kind) { place in
            let id = #""zoneID":{"zoneName":"Z","ownerRecordName":"_alice"}"#
            for part in Self.parts {
                let guest = place.guest(part.name), name = part.name
                let about: Comment = "\(name)"
                let refusal = part.mayRead ? "ACCESS_DENIED" : "ZONE_NOT_FOUND"
                for kind in RecordOperation.Kind.allCases {
                    let target = "\(name) \(kind.rawValue)"
                    if kind != .create {
                        _ = try await place.alice.modify([Place.item(target, in: "list")])[0].record()
                    }
                    let known = try await place.alice.lookup([target])[0]
                    var change = kind.isDeletion ? operation(kind, target) : Place.item(target, in: "list", as: kind)
                    if case .record(let record) = known { change.record.recordChangeTag = record.recordChangeTag }
                    let result = try await guest.modify([change])[0]
                    #expect(
                        result.error?.code.rawValue == (part.mayWrite ? nil : refusal), "\(name) \(kind): \(result)")
                    #expect(result.failure?.serverRecord == nil)
                }
                let upload = #"{\#(id),"tokens":[{"recordType":"Item","fieldName":"photo"}]}"#
                #expect(
                    code(try await guest.client.raw(.assetsUpload, upload).text) == (part.mayWrite ? nil : refusal),
                    about)
                let zone = #"{"operations":[{"operationType":"create","zone":{\#(id)}}]}"#
                #expect(code(try await guest.client.raw(.zonesModify, zone).text) == "BAD_REQUEST", about)
                for type in ["zone", "query"] {
                    let subscription =
                        #"{"subscriptionID":"s","subscriptionType":"\#(type)",\#(id),"query":{"recordType":"Item"}}"#
                    let body = #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#
                    #expect(code(try await guest.client.raw(.subscriptionsModify, body).text) == "BAD_REQUEST", about)
                }
                let share = try await place.alice.lookup(["share of list"])[0].record().share
                var invited = share?.participants ?? []
                invited.append(Place.invitation("friend.of.\(name)@example.org", .readOnly))
                let saved = try await guest.modify([Place.share("share of list", of: nil, as: .forceUpdate, invited)])[
                    0]
                #expect(saved.error?.code.rawValue == (part.mayInvite ? nil : refusal), "\(name): \(saved)")
                let made = try await guest.modify([Place.share("of \(name)", of: "bread")])[0]
                #expect(made.error?.code.rawValue == refusal, about)
            }
            // No record was made by a refused request.
            let names = Self.parts.filter { !$0.mayWrite }.map { "\($0.name) create" }
            #expect(try await place.alice.lookup(names).allSatisfy { $0.error?.code == .notFound })
        }
    }

    @Test(
        "who leaves, is removed or loses the right to read finds nothing more, and the others keep it",
        arguments: StorageKind.allCases)
    func leaving(_ kind: StorageKind) async throws {
        try await withParts(kind) { place in
            let carol = place.guest("carol"), dave = place.guest("dave"), frank = place.guest("frank")
            var token = try await carol.database().token
            let left: ZonesResponse = try await carol.client.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, Place.zone)]))
            #expect(left.zones.count == 1)
            #expect(try await carol.database(token).zones.map(\.deleted) == [true])
            token = try await dave.database().token
            let page = try await frank.page().syncToken
            let share = try await place.alice.lookup(["share of list"])[0].record().share
            let staying = share?.participants?.filter { $0.userIdentity.userRecordName != "_dave" }
            _ = try await place.alice.modify([Place.share("share of list", of: nil, as: .forceUpdate, staying)])
            #expect(try await dave.database(token).zones.map(\.deleted) == [true])
            #expect(try await dave.modify([Place.item("x", in: "list")])[0].error?.code == .zoneNotFound)
            #expect(try await frank.page(page).records.map(\.recordName) == ["share of list"])
            token = try await frank.database().token
            _ = try await place.alice.modify([
                Place.share("share of list", of: nil, as: .forceUpdate, everybody: SharePermission.none)
            ])
            #expect(try await frank.database(token).zones.map(\.deleted) == [true])
            await expectFailure(.zoneNotFound) { try await frank.page(page) }
            #expect(try await place.guest("bob").news().records.contains("list"))
        }
    }

    @Test("devices of those hear of a change who see it", arguments: StorageKind.allCases)
    func news(_ kind: StorageKind) async throws {
        try await withParts(kind) { place in
            var client = place.guest("dave").client
            let made: PushToken = try await client.on("private").call(.tokensCreate, PushToken())
            client.device = made.apnsToken
            let subscription = WireSubscription(subscriptionID: "all", subscriptionType: .database)
            let _: SubscriptionsResponse = try await client.call(
                .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(.create, subscription)]))
            let url = try #require(made.webcourierURL)
            func hears() async throws -> Bool {
                try await !client.send("\(url)&wait=0", method: .GET).body.isEmpty
            }
            _ = try await place.alice.modify([Place.item("page", in: "diary", as: .forceReplace, title: "hush")])
            #expect(try await !hears())
            _ = try await place.alice.modify([Place.item("eggs", in: "list")])
            #expect(try await hears())
            _ = try await place.alice.modify([Place.item("diary", in: "list", as: .forceReplace)])
            #expect(try await hears())
            _ = try await place.alice.modify([operation(.forceDelete, "share of list")])
            #expect(try await hears())
        }
    }
}
