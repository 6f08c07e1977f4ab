import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("a record that is shared") struct RecordShareTests {
    private typealias Place = SharedPlace
    private static let all = ["list", "milk", "fat", "bread", "diary", "page", "share of list"]
    private static let shown: Set = ["list", "milk", "fat", "bread", "share of list"]

    @Test(
        "is made with its share in one request, found by its address, and seen with all that lies below it",
        arguments: StorageKind.allCases)
    func made(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            let token = try await place.alice.page().syncToken
            let made = try await place.alice.modify([
                Place.share("S", of: "trip", [Place.invitation("bob@example.org")]), Place.item("trip", in: "diary"),
                Place.item("hotel", in: "trip"),
            ])
            let share = try made[0].record(), root = try made[1].record()
            #expect(share.share?.rootRecord?.recordName == "trip")
            #expect(root.share?.shareID?.recordName == "S" && root.share?.shareID?.zoneID?.zoneName == "Z")
            let guid = try #require(share.share?.shortGUID)
            #expect(Set(try await place.alice.page(token).records.map(\.recordName)) == ["S", "trip", "hotel"])
            let before = try await place.bob.on("public").resolved(guid, fetchesRoot: true)
            #expect(before.participantStatus == .invited && before.rootRecordName == "trip")
            #expect(before.rootRecord?.value("title") == .string("trip") && before.rootRecord?.parent == nil)
            #expect(try await place.accept(guid, "bob").rootRecordName == "trip")
            let bob = place.guest("bob")
            #expect(try await bob.zones().map(\.zoneName) == ["Z"])
            #expect(try await bob.news().records == ["S", "trip", "hotel"])
            #expect(try await bob.found(Self.all + ["trip", "hotel", "S"]) == ["trip", "hotel", "S"])
            let seen = try await bob.lookup(["trip", "hotel"]).map { try $0.record() }
            // The diary, the trip's parent, is not for Bob.
            #expect(seen[0].parent == nil && seen[1].parent?.recordName == "trip")
            #expect(seen[0].share?.shareID?.recordName == "S")
            #expect(try await place.alice.lookup(["trip"])[0].record().parent?.recordName == "diary")
        }
    }

    @Test(
        "shows old records that come below it, and takes away those that go elsewhere", arguments: StorageKind.allCases)
    func moves(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob")
            let first = try await bob.news()
            #expect(first.records == Self.shown && first.deleted == [])
            let database = try await bob.database()
            // Records that lie elsewhere are no news.
            _ = try await place.alice.modify([Place.item("page", in: "diary", as: .forceReplace, title: "secret")])
            #expect(try await bob.database(database.token).zones.isEmpty)
            _ = try await place.alice.modify([Place.item("diary", in: "milk", as: .forceReplace)])
            #expect(try await bob.database(database.token).zones.count == 1)
            let came = try await bob.news(first.token)
            #expect(came.records == ["diary", "page"] && came.deleted == [])
            _ = try await place.alice.modify([Place.item("milk", in: nil, as: .forceReplace)])
            let went = try await bob.news(came.token)
            #expect(went.deleted == ["milk", "fat", "diary", "page"] && went.records == [])
            #expect(try await bob.found(Self.all) == ["list", "bread", "share of list"])
            // Once more as one who begins.
            #expect(try await bob.news().records == ["list", "bread", "share of list"])
            _ = try await place.alice.modify([operation(.forceDelete, "bread")])
            #expect(try await bob.news(went.token).deleted == ["bread"])
        }
    }

    @Test("ends with its share, and with its root, and a guest finds nothing more", arguments: StorageKind.allCases)
    func ends(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            for ending in ["share of list", "list"] {
                let guid = try await place.shareRecord("list", everybody: .readWrite)
                try await place.accept(guid, "bob")
                let bob = place.guest("bob")
                let token = try await bob.database().token, seen = try await place.alice.page().syncToken
                _ = try await place.alice.modify([operation(.forceDelete, ending)])[0].record()
                #expect(try await bob.database(token).zones.map(\.deleted) == [true])
                await expectFailure(.zoneNotFound) { try await bob.page() }
                await expectFailure(.notFound) { try await place.accept(guid, "bob") }
                let news = try await place.alice.page(seen).records
                #expect(Set(news.map(\.recordName)) == ["list", "share of list"])
                #expect(news.first { $0.recordName == "share of list" }?.deleted == true)
                #expect(news.first { $0.recordName == "list" }?.share == nil)
            }
            #expect(try await place.alice.found(["milk", "bread", "diary"]) == ["milk", "bread", "diary"])
        }
    }

    @Test(
        "gives way to a share of the whole zone, and a token of the time before does not hide the rest",
        arguments: StorageKind.allCases)
    func wholeZone(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob")
            let before = try await bob.news()
            #expect(before.records == Self.shown)
            _ = try await place.alice.modify([operation(.forceDelete, "share of list")])[0].record()
            try await place.accept(try await place.share(everybody: .readOnly), "bob")
            let whole: Set = ["list", "milk", "fat", "bread", "diary", "page", WireShare.zoneShareName]
            // Also a device that never heard of the time between.
            let error = await expectFailure(.badRequest) { try await bob.news(before.token) }
            #expect(error?.reason == WireError.expiredTokenReason)
            let now = try await bob.news()
            #expect(now.records == whole)
            #expect(try await bob.news(now.token).records == [])
        }
    }

    @Test(
        "comes and goes for a guest who sees others of the zone as changes and deletions",
        arguments: StorageKind.allCases)
    func several(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            let list = try await place.shareRecord("list", everybody: .readWrite)
            let diary = try await place.shareRecord("diary", [Place.invitation("bob@example.org")])
            try await place.accept(list, "bob")
            let bob = place.guest("bob")
            let first = try await bob.news()
            #expect(first.records == Self.shown)
            try await place.accept(diary, "bob")
            let second = try await bob.news(first.token)
            #expect(second.records == ["diary", "page", "share of diary"] && second.deleted == [])
            // A record that moves from one to the other is reported in its present state.
            _ = try await place.alice.modify([Place.item("milk", in: "diary", as: .forceReplace)])
            let moved = try await bob.news(second.token)
            #expect(moved.records.contains("milk") && moved.deleted == [])
            // Bob has read nothing when he loses the diary, and a page of it was moved away just before.
            _ = try await place.alice.modify([Place.item("page", in: nil, as: .forceReplace)])
            _ = try await place.alice.modify([Place.share("share of diary", of: nil, as: .forceUpdate, [])])
            let lost = try await bob.news(moved.token)
            #expect(lost.deleted == ["diary", "page", "share of diary", "milk", "fat"] && lost.records == [])
            #expect(try await bob.zones().count == 1)
            _ = try await bob.modify([operation(.forceDelete, "share of list")])[0].record()
            #expect(try await bob.zones().isEmpty)
            // A returning guest begins anew, with any old token.
            try await place.accept(list, "bob")
            await expectFailure(.badRequest) { try await bob.page(lost.token) }
            #expect(try await bob.news().records == ["list", "bread", "share of list"])
        }
    }

    @Test("takes part of what its participants write, and nothing from elsewhere", arguments: StorageKind.allCases)
    func writing(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(
                try await place.shareRecord("list", [Place.invitation("bob@example.org")]), "bob")
            try await place.accept(try await place.shareRecord("diary", everybody: .readOnly), "bob")
            let bob = place.guest("bob")
            func code(_ operation: RecordOperation) async throws -> WireErrorCode? {
                try await bob.modify([operation])[0].error?.code
            }
            #expect(try await code(Place.item("eggs", in: "milk")) == nil)
            #expect(try await code(Place.item("stray", in: nil)) == .accessDenied)
            #expect(try await code(Place.item("stray", in: "nowhere")) == .accessDenied)
            #expect(try await code(Place.item("stray", in: "page")) == .accessDenied)
            #expect(try await code(Place.item("page", in: "diary", as: .forceReplace)) == .accessDenied)
            // Within the list, but not out of it, in a circle or to another share.
            #expect(try await code(Place.item("fat", in: "bread", as: .forceReplace)) == nil)
            #expect(try await code(Place.item("fat", in: nil, as: .forceReplace)) == .accessDenied)
            #expect(try await code(Place.item("fat", in: "diary", as: .forceReplace)) == .accessDenied)
            #expect(try await code(Place.item("bread", in: "fat", as: .forceReplace)) == .accessDenied)
            #expect(try await code(Place.item("list", in: "diary", as: .forceReplace)) == .accessDenied)
            #expect(try await code(operation(.forceDelete, "list")) == .accessDenied)
            #expect(try await code(operation(.forceDelete, "eggs")) == nil)
            #expect(try await code(Place.share("mine", of: "bread")) == .accessDenied)
            // Several at once: one that comes below another of the same request.
            let both = try await bob.modify([Place.item("b", in: "a"), Place.item("a", in: "bread")])
            #expect(both.allSatisfy { $0.error == nil })
            let half: RecordsResponse = try await bob.client.call(
                .recordsModify,
                RecordsModifyRequest(
                    zoneID: Place.zone,
                    operations: [Place.item("d", in: "c"), Place.item("c", in: "page"), Place.item("e", in: "a")],
                    atomic: false))
            #expect(half.records.map(\.error?.code) == [.accessDenied, .accessDenied, nil])
            let root = try await bob.modify([Place.item("list", in: nil, as: .forceReplace, title: "New")])[0].record()
            #expect(root.value("title") == .string("New"))
            #expect(try await place.alice.lookup(["list"])[0].record().share?.shareID?.recordName == "share of list")
        }
    }

    @Test(
        "hides what is not shared from writers: it is answered as if it did not exist", arguments: StorageKind.allCases)
    func hidden(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob")
            for kind in RecordOperation.Kind.allCases {
                for name in ["page", "nothing"] {
                    let tag = try await place.alice.lookup(["page"])[0].record().recordChangeTag
                    let result = try await bob.modify([operation(kind, name, tag: tag)])[0]
                    let expected: WireErrorCode? =
                        switch kind {
                        case .create, .forceUpdate, .forceReplace: .accessDenied
                        case .update, .replace, .delete: .notFound
                        case .forceDelete: nil
                        }
                    #expect(result.error?.code == expected, "\(kind) \(name): \(result)")
                    #expect(result.failure?.serverRecord == nil)
                }
            }
            let link: WireValue = .reference(WireReference(recordName: "page", action: .validate))
            let linked = try await bob.modify([
                RecordOperation(
                    .create,
                    WireRecord(
                        recordName: "x", recordType: "Item", fields: ["to": link],
                        parent: WireReference(recordName: "list")))
            ])[0]
            #expect(linked.error?.code == .validatingReferenceError)
            // A secret name is not revealed by its reference to the guest's record.
            _ = try await place.alice.modify([
                create("hush", ["to": .reference(WireReference(recordName: "bread", action: .validate))])
            ])
            let kept = try await bob.modify([operation(.forceDelete, "bread")])[0].error
            #expect(kept?.code == .validatingReferenceError && kept?.reason.contains("hush") == false)
            // Nor does a record of a lost name bring its orphans back into sight.
            _ = try await place.alice.modify([operation(.forceDelete, "diary")])
            #expect(try await bob.modify([Place.item("diary", in: "list")])[0].error?.code == .accessDenied)
            #expect(try await place.alice.lookup(["page"])[0].error == nil)
        }
    }

    @Test("refuses shares that make no sense, and changes nothing then")
    func refusals() async throws {
        try await Place.withHierarchy(on: .directory) { place in
            func code(_ operations: [RecordOperation]) async throws -> WireErrorCode? {
                try await place.alice.modify(operations).compactMap(\.error).first { $0.code != .atomicError }?.code
            }
            #expect(try await code([Place.share("S", of: "none")]) == .notFound)
            #expect(try await code([Place.share("S", of: nil)]) == .badRequest)
            #expect(try await code([Place.share(WireShare.zoneShareName, of: "list")]) == .badRequest)
            #expect(try await code([Place.share("S", of: "list"), Place.share("T", of: "list")]) == .badRequest)
            #expect(try await code([Place.share("S", of: "list"), operation(.forceDelete, "list")]) == .notFound)
            #expect(
                try await code([Place.share("S", of: "list"), Place.share(WireShare.zoneShareName, of: nil)])
                    == .badRequest)
            var stale = Place.share("S", of: "list")
            stale.record.share?.forRecord?.recordChangeTag = "old"
            #expect(try await code([stale]) == .conflict)
            #expect(try await place.alice.lookup(["list"])[0].record().share == nil)
            try await place.shareRecord("list")
            #expect(try await code([Place.share("S", of: "list")]) == .badRequest)
            #expect(try await code([Place.share("S", of: "share of list")]) == .badRequest)
            #expect(try await code([Place.share("share of list", of: "diary", as: .forceUpdate)]) == .badRequest)
            #expect(try await code([Place.share(WireShare.zoneShareName, of: nil)]) == .badRequest)
            #expect(try await code([operation(.forceUpdate, "share of list", type: nil)]) == .badRequest)
            #expect(try await place.alice.lookup(["diary"])[0].record().share == nil)
            _ = try await place.alice.modify([operation(.forceDelete, "share of list")])
            _ = try await place.share()
            #expect(try await code([Place.share("S", of: "list")]) == .badRequest)
        }
    }

    @Test(
        "moves no more records at a time than it may, and those in commits of the size of a page",
        arguments: StorageKind.allCases)
    func many(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            var names: [String] = []
            for part in 0..<3 {
                let operations = (0..<1_000).map { Place.item("m\(part) \($0)", in: "diary") }
                names += operations.map(\.record.recordName)
                _ = try await place.alice.modify(operations)
            }
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob"), token = try await bob.news().token
            _ = try await place.alice.modify([Place.item("diary", in: "list", as: .forceReplace)])
            var sizes: [Int] = [], seen: Set<String> = [], next = token
            while true {
                let page = try await bob.page(next)
                sizes.append(page.records.count)
                for record in page.records { seen.insert(record.recordName) }
                next = page.syncToken
                if !page.moreComing { break }
            }
            #expect(seen == Set(names + ["diary", "page"]))
            #expect(sizes.count >= 2 && sizes.allSatisfy { $0 <= 2_000 }, "\(sizes)")
            _ = try await place.alice.modify([Place.item("diary", in: nil, as: .forceReplace)])
            #expect(try await bob.news(next).deleted == Set(names + ["diary", "page"]))
            // A chain of parents has its ceiling too.
            let chain = (0..<HierarchyChange.deepest + 1).map {
                Place.item("c\($0)", in: $0 == 0 ? "list" : "c\($0 - 1)")
            }
            await expectFailure(.badRequest) { try await place.alice.modify(chain) }
            #expect(try await bob.found(["c0"]).isEmpty)
        }
    }

    @Test("costs zones without such shares no statement, and others no more for what is not shared")
    func costs() async throws {
        try await Place.withHierarchy(on: .directory) { place in
            let alice = place.alice
            try await alice.makeZone("Plain")
            func push(_ zone: String, _ name: String) async throws -> [String] {
                let statements = try await StatementCount(place.server)
                _ = try await alice.modify([Place.item(name, in: "p")], zone: zone)
                return statements.takeAll()
            }
            _ = try await push("Plain", "first")
            let before = try await push("Plain", "a")
            try await place.shareRecord("list")
            let after = try await push("Plain", "b")
            #expect(before.count == after.count)
            #expect(!after.contains { $0.contains("visibility") || $0.contains("FROM share") })
            #expect(try await push("Z", "c").contains { $0.contains("visibility") })
        }
    }
}

extension TestClient {
    /// Those of the names under which there is a record.
    fileprivate func found(_ names: [String]) async throws -> Set<String> {
        Set(zip(names, try await lookup(names)).filter { $0.1.error == nil }.map(\.0))
    }

    func resolved(_ guid: String, fetchesRoot: Bool) async throws -> ResolvedShare {
        let answer: ShareResultsResponse = try await call(
            .recordsResolve, ShareGUIDsRequest(shortGUIDs: [ShortGUID(guid, shouldFetchRootRecord: fetchesRoot)]))
        guard case .share(let share)? = answer.results.first else { throw TestFailure("not resolved: \(answer)") }
        return share
    }
}
