import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("records that move from one zone to another in one request")
struct ZoneMoveTests {
    /// Moves the record A from Z to Y.
    private func move(
        _ client: TestClient, _ tag: String?, key: String? = nil, atomicZones: Bool = true, to zone: String = "Y"
    ) async throws -> [RecordResult] {
        var made = WireRecord(recordName: "A", recordType: "Item", fields: ["n": .int64(2)])
        made.zoneID = ZoneID(zoneName: zone)
        var left = WireRecord(recordName: "A", recordChangeTag: tag)
        left.movedTo = zone
        let request = RecordsModifyRequest(
            zoneID: TestClient.zone,
            operations: [RecordOperation(.create, made), RecordOperation(.delete, left)],
            idempotencyKey: key, atomicZones: atomicZones)
        return try await client.call(.recordsModify, request, as: RecordsResponse.self).records
    }

    private func isConflict(_ result: RecordResult) -> Bool {
        if case .error(let error) = result { error.error.code == .conflict } else { false }
    }

    private func isUndone(_ result: RecordResult) -> Bool {
        if case .error(let error) = result { error.error.code == .atomicError } else { false }
    }

    @Test("the record is in the other zone, and the deletion tells where it went", arguments: StorageKind.allCases)
    func moved(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { plain, _ in
            let client = plain.extended()
            for zone in ["Z", "Y"] { try await client.makeZone(zone) }
            let first = try await client.save("A", ["n": .int64(1)])
            let before = try await client.page().syncToken
            let results = try await move(client, first.recordChangeTag, key: "k")
            #expect(try results[0].record().zoneID?.zoneName == "Y" && results[1].record().deleted)
            let told = try #require(try await client.page(before).records.first)
            #expect(told.deleted && told.movedTo == "Y")
            #expect(try await client.lookup(["A"], zone: "Y")[0].record().value("n") == .int64(2))
            // A repeat of the same request gets the same answer, and a late one finds the deletion.
            #expect(try await move(client, first.recordChangeTag, key: "k") == results)
            let late = try await client.modify(
                [RecordOperation(.update, WireRecord(recordName: "A", recordChangeTag: first.recordChangeTag))])
            guard case .error(let error) = late[0] else { throw TestFailure("not refused") }
            #expect(error.serverRecordDeleted && error.serverRecord?.movedTo == "Y")
            let gone = try await client.modify(
                [RecordOperation(.delete, WireRecord(recordName: "A", recordChangeTag: first.recordChangeTag))])
            #expect(isConflict(gone[0]))
            guard case .error(let missing) = try await client.lookup(["A"])[0] else { throw TestFailure("not missing") }
            #expect(missing.error.code == .notFound && missing.serverRecord?.movedTo == "Y")
            // A client without the extensions sees a plain deletion.
            #expect(try await plain.page(before).records.first?.movedTo == nil)
            guard case .error(let plainly) = try await plain.lookup(["A"])[0] else { throw TestFailure("not missing") }
            #expect(plainly.error.code == .notFound && !plainly.serverRecordDeleted)
            // The name is free again.
            try await client.save("A", ["n": .int64(3)])
            #expect(try await client.page(before).records.first?.movedTo == nil)
        }
    }

    @Test("nothing happens in any zone if one operation fails", arguments: StorageKind.allCases)
    func whole(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { plain, _ in
            let client = plain.extended()
            for zone in ["Z", "Y"] { try await client.makeZone(zone) }
            let first = try await client.save("A", ["n": .int64(1)])
            let second = try await client.save(.update, "A", tag: first.recordChangeTag, ["n": .int64(5)])
            let stale = try await move(client, first.recordChangeTag)
            #expect(isUndone(stale[0]) && isConflict(stale[1]))
            #expect(try await client.page(zone: "Y").records.isEmpty)
            try await client.save("A", zone: "Y")
            let taken = try await move(client, second.recordChangeTag)
            #expect(isConflict(taken[0]) && isUndone(taken[1]))
            let nowhere = try await move(client, second.recordChangeTag, to: "X")
            guard case .error(let error) = nowhere[0] else { throw TestFailure("not refused") }
            #expect(error.error.code == .zoneNotFound && isUndone(nowhere[1]))
            #expect(try await client.lookup(["A"])[0].record() == second)
            // Without the extension each zone is a matter of its own.
            let apart = try await move(client, second.recordChangeTag, atomicZones: false)
            #expect(isConflict(apart[0]))
            #expect(try apart[1].record().deleted)
        }
    }

    @Test(
        "a user whose quota is used up can still move records, whichever zone was made first",
        arguments: StorageKind.allCases, [["Z", "Y"], ["Y", "Z"]])
    func quota(_ kind: StorageKind, zones: [String]) async throws {
        try await withServer(on: kind, { $0.userQuotas.records = 1 }) { plain, _ in
            let client = plain.extended()
            for zone in zones { try await client.makeZone(zone) }
            let first = try await client.save("A", ["n": .int64(1)])
            let results = try await move(client, first.recordChangeTag)
            #expect(try results[0].record().zoneID?.zoneName == "Y" && results[1].record().deleted)
            await #expect(throws: (any Error).self) { try await client.save("B", zone: "Y") }
        }
    }

    @Test("a guest hears that an object has moved, and not where; a guest's own word of a move counts for nothing")
    func guests() async throws {
        try await SharedPlace.with(on: .directory) { place in
            let guid = try await place.share([SharedPlace.invitation("Bob@example.org")])
            try await place.accept(guid, "bob")
            let bob = place.guest("bob")
            try await place.alice.makeZone("Y")
            for name in ["A", "B"] { try await place.alice.save(name, ["n": .int64(1)]) }
            let before = try await bob.page().syncToken, owners = try await place.alice.page().syncToken
            let tag = try await place.alice.lookup(["A"])[0].record().recordChangeTag
            _ = try await move(place.alice, tag)
            let told = try #require(try await bob.page(before).records.first { $0.recordName == "A" })
            #expect(told.deleted && told.movedTo == "")
            guard case .error(let missing) = try await bob.lookup(["A"])[0] else { throw TestFailure("not missing") }
            #expect(missing.serverRecord?.movedTo == "")
            var claimed = WireRecord(recordName: "B")
            claimed.movedTo = "Y"
            _ = try await bob.modify([RecordOperation(.forceDelete, claimed)])
            let deleted = try #require(try await place.alice.page(owners).records.first { $0.recordName == "B" })
            #expect(deleted.deleted && deleted.movedTo == nil)
        }
    }
}
