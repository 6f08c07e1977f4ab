import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// The room that shares take: of their owner's quota, and in a transaction.
@Suite("the room of shares") struct ShareRoomTests {
    private typealias Place = SharedPlace

    private func service(_ place: Place) throws -> ZoneService {
        try #require(place.server.state.withLock { $0.service })
    }

    private func bytes(of user: String, in place: Place) async throws -> Int {
        try await service(place).context.storage.read { reading in
            let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "_alice")
            let owner = try #require(try reading.owner(key))
            return try reading.usage(tenantID: owner.tenantID, user: user).bytes
        }
    }

    private func participants(_ place: Place) async throws -> Int64 {
        try await service(place).context.storage.read { reading in
            try reading.one("SELECT count(*) FROM participant") { $0.int(0) } ?? 0
        }
    }

    private func guests(_ count: Int, from first: Int = 0) -> [WireParticipant] {
        (first..<first + count).map {
            WireParticipant(.init(userRecordName: "_guest\($0)"), type: .user, permission: .readOnly)
        }
    }

    @Test("participants take the room of the zone's owner, until they go", arguments: StorageKind.allCases)
    func quota(_ kind: StorageKind) async throws {
        try await Place.with(on: kind, { $0.userQuotas.bytes = 30_000 }) { place in
            let administrator = Place.invitation("bob@example.org", type: .administrator)
            let guid = try await place.share([administrator])
            try await place.accept(guid, "bob")
            let before = try await bytes(of: "_alice", in: place)
            let few = try await place.save([administrator] + guests(20)).record()
            let full = try await bytes(of: "_alice", in: place)
            #expect(full > before + 20 * 400 && full < before + 20 * 800)
            // By whomever they are added.
            let many = [administrator] + guests(90)
            await expectFailure(.quotaExceeded) { try await place.save(many) }
            await expectFailure(.quotaExceeded) { try await place.save(many, by: place.guest("bob").client) }
            #expect(try await bytes(of: "_alice", in: place) == full)
            #expect(try await bytes(of: "_bob", in: place) == 0)
            // A removed participant frees space. The others keep their identities.
            let fewer = try await place.save([administrator] + guests(19, from: 1)).record()
            #expect(try await bytes(of: "_alice", in: place) < full)
            let ids = [few, fewer].map { Set($0.share?.participants?.compactMap(\.participantID) ?? []) }
            #expect(ids[1].isSubset(of: ids[0]) && ids[1].count == ids[0].count - 1)
            let report = SQLReport()
            try await service(place).context.storage.read { reading in
                var found = StorageReport()
                try reading.verifyUsage(&found)
                report.counts.withLock { [found] in $0 = found.counts }
            }
            #expect(report.counts.withLock { $0 } == [:])
        }
    }

    @Test(
        "a guest's change of another's record takes room of who made it, and no more than there is",
        arguments: StorageKind.allCases)
    func recordsOfOthers(_ kind: StorageKind) async throws {
        try await Place.with(on: kind, { $0.userQuotas.bytes = 30_000 }) { place in
            try await place.accept(try await place.share(everybody: .readWrite), "bob")
            let bob = place.guest("bob")
            func note(_ count: Int) -> RecordOperation {
                operation(.forceUpdate, "list", ["note": .string(String(repeating: "x", count: count))])
            }
            #expect(try await bob.modify([note(5_000)])[0].error == nil)
            let full = try await bytes(of: "_alice", in: place)
            #expect(full > 5_000)
            let error = await expectFailure(.quotaExceeded) { try await bob.modify([note(40_000)]) }
            #expect(error?.reason.contains("'_alice'") == true)
            #expect(try await bytes(of: "_alice", in: place) == full)
            try await place.alice.save("other")
        }
    }

    /// Carries a report out of a reading.
    private final class SQLReport: Sendable {
        let counts = Locked<[StorageReport.Fault.Kind: Int]>([:])
    }

    @Test("participants that an earlier version wrote are counted by the step", arguments: StorageKind.allCases)
    func older(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            try await storage.write { writing in
                let owner = try writing.makeOwner(
                    DatabaseKey(tenant: "c/development", scope: .private, owner: "_ada"), epoch: 1)
                let zone = try writing.makeZone(owner, named: "Z", epoch: 1)
                let share = StoredShare(
                    record: "s", shortGUID: "g", publicPermission: .none,
                    participants: [
                        StoredParticipant(
                            id: "1", user: "_ada", kind: .owner, status: .accepted, permission: .readWrite),
                        StoredParticipant(
                            id: "2", emailAddress: "é@example.org", kind: .user, status: .invited,
                            permission: .readOnly),
                    ])
                try writing.putShare(share, replacing: nil, of: zone)
                let counted = try writing.usage(tenantID: zone.tenantID, user: "_ada").bytes
                #expect(counted > 2 * 400)
                // As it was before the step.
                try writing.execute("UPDATE participant SET payer = ''")
                try writing.execute("UPDATE usage SET bytes = 7")
                for statement in SharingSchema.participantSizes(writing.dialect)[1...2] {
                    var statement = SQLStatement(writing.dialect, statement)
                    statement.isAdHoc = true
                    try writing.connection.run(statement)
                }
                #expect(try writing.usage(tenantID: zone.tenantID, user: "_ada").bytes == counted + 7)
            }
        }
    }

    @Test("what was shared of a zone that goes is removed later, and found by nobody", arguments: StorageKind.allCases)
    func zones(_ kind: StorageKind) async throws {
        try await Place.with(on: kind) { place in
            let guid = try await place.share(everybody: .readOnly, guests(90))
            try await place.accept(guid, "bob")
            let statements = try await StatementCount(place.server)
            let _: ZonesResponse = try await place.alice.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)]))
            #expect(!statements.takeAll().contains { $0.contains("DELETE FROM participant") })
            guard case .error(_, let error) = try await place.resolve(guid, "bob") else {
                throw TestFailure("the share is there still")
            }
            #expect(error.code == .notFound)
            #expect(try await place.guest("bob").zones().isEmpty)
            #expect(try await participants(place) == 92)
            try await place.server.cleanUp()
            #expect(try await participants(place) == 0)
            // One that is made under the same name has nothing of it.
            try await place.alice.makeZone()
            try await place.alice.save("list", ["title": .string("Food")])
            let again = try await place.share()
            #expect(again != guid)
            #expect(try await participants(place) == 1)
        }
    }

    @Test("a request leaves about a hundred shares, and one zone whatever there is")
    func leaving() async throws {
        let budget = ShareBudget()
        try budget.take(shares: 60)
        try budget.take(shares: 60)
        let error = #expect(throws: WireError.self) { try budget.take(shares: 1) }
        #expect(error?.isLimitExceeded == true)
        #expect(budget.take(entries: 20_000) && !budget.take(entries: 1) && budget.take(entries: 0))
        try ShareBudget().take(shares: 500)

        try await Place.with(on: .directory) { place in
            for number in 0...100 {
                try await place.alice.makeZone("Z\(number)")
                try await place.accept(try await place.share(everybody: .readOnly, zone: "Z\(number)"), "bob")
            }
            let zones = (0...100).map { ZoneID(zoneName: "Z\($0)", ownerRecordName: "_alice") }
            func leave(_ zones: [ZoneID]) async throws -> [ZoneResult] {
                let answer: ZonesResponse = try await place.guest("bob").client.call(
                    .zonesModify, ZonesModifyRequest(operations: zones.map { .init(.delete, $0) }))
                return answer.zones
            }
            let left = try await leave(zones)
            guard case .error(let last)? = left.last else { throw TestFailure("\(left.count)") }
            #expect(last.error.isLimitExceeded && left.count { if case .zone = $0 { true } else { false } } == 100)
            #expect(try await place.guest("bob").zones().count == 1)
            _ = try await leave([zones[100]])
            #expect(try await place.guest("bob").zones().isEmpty)
        }
    }
}
