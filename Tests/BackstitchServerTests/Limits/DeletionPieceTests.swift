import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// A transaction locks out other writers, of its zone or of all. So a deletion of much is done in many transactions,
/// and each one changes few rows.
@Suite("a deletion of any size holds no lock for long") struct DeletionPieceTests {
    private static let records = Effort.size("DELETED_RECORDS", usual: 4_000, whole: 20_000)

    /// Prints the longest transaction, and expects all of them to be short.
    private func check(_ what: String, _ recorder: StatementRecorder, most: Int) {
        let transactions = recorder.takeTransactions()
        let changes = transactions.map(\.changes).max() ?? 0
        let time = transactions.map(\.time).max() ?? .zero
        print(
            "counted: \(what): \(transactions.count) transactions, at most \(changes) rows and \(time) in one, after "
                + "\(Self.records) records")
        #expect(!transactions.isEmpty && changes <= most, "\(what)")
        // A release build keeps to 50 ms. Here other tests run at the same time.
        #expect(time < .seconds(5), "\(what)")
    }

    /// Records, each with a reference, an entry in an index, and a place in a share.
    private func fill(_ storage: ZoneStorage) async throws {
        for part in Array(0..<Self.records).parts(of: 2_000) {
            let part = Array(part)
            try await storage.write { writing in
                let key = DatabaseKey(
                    tenant: "iCloud.test/development", scope: .private, owner: Authenticator.developmentUser)
                guard let owner = try writing.owner(key), let zone = try writing.zone(owner, named: "Z") else {
                    throw TestFailure("no zone")
                }
                let records = try part.map { number in
                    StoredRecord(
                        name: "r\(number)", type: "Item", sequence: 1, deleted: false, flags: [], created: 1,
                        createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u",
                        fields: try WireRecord.encodeFields(["n": .int64(Int64(number))], of: "r"))
                }
                try writing.insert(records, into: zone)
                try writing.setReferences(
                    zone, from: [],
                    part.map { StoredReference(source: "r\($0)", target: "r\($0 / 2)", action: .deleteSelf) })
                try writing.putVisibility(
                    part.map {
                        StoredVisibility(share: 1, name: "r\($0)", sequence: 1, history: 1, isGone: false, changed: 1)
                    }, in: zone)
            }
        }
    }

    @Test("of a zone, and of what was in it", arguments: StorageKind.allCases)
    func zone(_ kind: StorageKind) async throws {
        try await StatementRecorder.withServer(kind) { plain, server, recorder in
            let client = plain.extended()
            try await client.makeZone()
            _ = try await client.query(RecordQuery(recordType: "Item", sortBy: [QuerySort("n")]))
            try await fill(try server.working.context.storage)
            _ = recorder.takeTransactions()
            let deletion = ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)])
            let answer: ZonesResponse = try await client.call(.zonesModify, deletion)
            #expect(answer.zones.count == 1)
            check("deletion of a zone on \(kind)", recorder, most: 20)
            try await server.cleanUp()
            check("removal of its content on \(kind)", recorder, most: RemovalPiece().rows + 20)
            try await client.makeZone()
            #expect(try await client.page(nil).records.isEmpty)
        }
    }

    @Test("of all zones of a user", arguments: StorageKind.allCases)
    func zones(_ kind: StorageKind) async throws {
        try await StatementRecorder.withServer(kind) { plain, server, recorder in
            let client = plain.extended()
            let names = (0..<200).map { ZoneID(zoneName: "Z\($0)") }
            let creations = ZonesModifyRequest(operations: names.map { .init(.create, $0) })
            let made: ZonesResponse = try await client.call(.zonesModify, creations)
            #expect(made.zones.count == 200)
            check("making of zones on \(kind)", recorder, most: 500)
            try await server.purge(
                user: Authenticator.developmentUser, container: "iCloud.test", environment: "development")
            check("removal of all zones on \(kind)", recorder, most: 500)
            let left: ZonesResponse = try await client.call(.zonesList, EmptyBody())
            #expect(left.zones.count == 1)
        }
    }
}
