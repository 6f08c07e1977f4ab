import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// The ways around the rules of record shares. Each of them is closed.
@Suite("shares of records: the ways around their rules") struct RecordShareBoundsTests {
    private typealias Place = SharedPlace

    @Test("a guest does not end a share by a reference from its root", arguments: StorageKind.allCases)
    func cascade(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob")
            _ = try await bob.modify([Place.item("hook", in: "list")])[0].record()
            var operation = Place.item("list", in: nil, as: .forceUpdate)
            operation.record.fields["hook"] = .reference(WireReference(recordName: "hook", action: .deleteSelf))
            _ = try await bob.modify([operation])[0].record()
            #expect(try await bob.modify([Place.deletion("hook")])[0].error?.code == .accessDenied)
            #expect(try await bob.found(["list", "hook", "share of list"]).count == 3)
        }
    }

    @Test("a guest gains no right by making a deleted parent anew", arguments: StorageKind.allCases)
    func parentAnew(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            // Bob may write the list, and only read the fat, which lies below the milk.
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            try await place.accept(try await place.shareRecord("fat", everybody: .readOnly), "bob")
            _ = try await place.alice.modify([Place.deletion("milk")])[0].record()
            let bob = place.guest("bob")
            let made = try await bob.modify([Place.item("milk", in: "list")])
            #expect(made[0].error?.code == .accessDenied)
            let written = try await bob.modify([Place.item("fat", in: nil, as: .forceUpdate, title: "mine")])
            #expect(written[0].error?.code == .accessDenied)
        }
    }

    @Test(
        "an update takes the parent away if it says so, and leaves it if it does not", arguments: StorageKind.allCases)
    func clearedParent(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob")
            func update(_ name: String, clearsParent: Bool) -> RecordOperation {
                var operation = Place.item(name, in: nil, as: .forceUpdate, title: "again")
                operation.record.clearsParent = clearsParent
                return operation
            }
            // A guest removes nothing from below a root, and a root has no parent for a guest to remove.
            #expect(try await bob.modify([update("milk", clearsParent: true)])[0].error?.code == .accessDenied)
            _ = try await bob.modify([update("list", clearsParent: true)])[0].record()
            #expect(
                try await place.alice.modify([update("milk", clearsParent: false)])[0].record().parent?.recordName
                    == "list")
            #expect(try await bob.found(["milk", "fat"]).count == 2)
            #expect(try await place.alice.modify([update("milk", clearsParent: true)])[0].record().parent == nil)
            #expect(try await bob.found(["list", "milk", "fat"]) == ["list"])
        }
    }

    @Test("a share ends with its root, also where the same request changes it", arguments: StorageKind.allCases)
    func rootAndShare(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readOnly), "bob")
            let request = RecordsModifyRequest(
                zoneID: ZoneID(zoneName: "Z"),
                operations: [
                    Place.deletion("list"),
                    Place.share("share of list", of: nil, as: .forceUpdate, everybody: .readWrite),
                ], atomic: false)
            let answer: RecordsResponse = try await place.alice.call(.recordsModify, request)
            let results = answer.records
            #expect(results[0].error == nil && results[1].error?.code == .notFound)
            #expect(try await place.guest("bob").zones().isEmpty)
            _ = try await place.alice.modify([Place.item("list", in: nil)])[0].record()
            try await place.shareRecord("list", as: "again", everybody: .readOnly)
        }
    }

    @Test("a user whose right is none gets no root by the share's address", arguments: StorageKind.allCases)
    func noRight(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            let guid = try await place.shareRecord("list", [Place.invitation("bob@example.org", SharePermission.none)])
            let resolved = try await place.bob.on("public").resolved(guid, fetchesRoot: true)
            #expect(resolved.rootRecordName == "list" && resolved.rootRecord == nil)
        }
    }

    @Test(
        "a guest reads all that many shares show, in pages of any length",
        arguments: StorageKind.allCases)
    func manyShares(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            var all: Set<String> = []
            for number in 0..<12 {
                try await place.alice.save("root \(number)")
                try await place.accept(try await place.shareRecord("root \(number)", everybody: .readOnly), "bob")
                all.formUnion(["root \(number)", "share of root \(number)"])
            }
            // Most of the news is of one share, and lies between that of the others.
            for number in 0..<60 {
                let root = number % 5 == 0 ? number / 5 : 3
                try await place.alice.modify([Place.item("n\(number)", in: "root \(root)")])
                all.insert("n\(number)")
            }
            let bob = place.guest("bob")
            for limit in [1, 7, 40, 500] {
                var names: [String] = [], token: String?, pages = 0, moreComing = true
                while moreComing, pages < 500 {
                    let page = try await bob.page(token, limit: limit)
                    // A share and its root are one commit.
                    #expect(page.records.count <= max(limit, 2))
                    names += page.records.map(\.recordName)
                    (token, moreComing, pages) = (page.syncToken, page.moreComing, pages + 1)
                }
                #expect(Set(names) == all, "limit \(limit)")
                // A share that is accepted later than another tells its root and itself once more.
                #expect(names.count <= all.count + 2 * 12, "limit \(limit)")
                #expect(pages <= 3 * all.count / limit + 2, "\(pages) pages for a limit of \(limit)")
            }
        }
    }

    @Test("no more than twenty shares come to show one record, however they are built", arguments: StorageKind.allCases)
    func nesting(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            // From below: each root is made, and shared, above the one before.
            func share(_ number: Int) async throws -> [RecordResult] {
                try await place.alice.modify([
                    Place.item("root \(number - 1)", in: "root \(number)", as: .forceReplace),
                    Place.share("share \(number)", of: "root \(number - 1)", everybody: .readOnly),
                ])
            }
            for number in 1...20 { _ = try await share(number)[1].record() }
            let error = await #expect(throws: WireError.self) { try await share(21) }
            #expect(error?.code == .badRequest && error?.reason.contains("more than 20 shares would show") == true)
        }
    }
}

extension SharedPlace {
    fileprivate static func deletion(_ name: String) -> RecordOperation {
        RecordOperation(.forceDelete, WireRecord(recordName: name))
    }
}
