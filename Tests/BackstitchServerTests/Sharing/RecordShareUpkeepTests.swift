import Backstitch
import BackstitchSQL
import BackstitchTestKit
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("the log of what participants see") struct RecordShareUpkeepTests {
    private typealias Place = SharedPlace

    /// How many entries the log has.
    private func entries(_ place: SharedPlace, where condition: SQLText = "1 = 1") async throws -> Int {
        try await place.server.working.context.storage.write { writing in
            try writing.one("SELECT count(*) FROM visibility WHERE \(condition)") { Int($0.int(0)) } ?? 0
        }
    }

    @Test(
        "forgets after a time what is seen no more, and whoever has not heard of it by then reads again",
        arguments: StorageKind.allCases)
    func forgotten(_ kind: StorageKind) async throws {
        let clock = VirtualClock(milliseconds: SystemClock().milliseconds())
        try await Place.withHierarchy(on: kind, { $0.clock = clock }) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob"), owners = try await place.alice.page().syncToken
            let stale = try await bob.news().token
            _ = try await place.alice.modify([Place.item("milk", in: nil, as: .forceReplace)])
            let fresh = try await bob.news(stale).token
            #expect(try await entries(place, where: "gone = 1") == 2)
            try await place.server.cleanUp()
            #expect(try await entries(place, where: "gone = 1") == 2)
            clock.advance(by: Int64(place.server.configuration.tombstoneRetention + 1) * 1_000)
            try await place.server.cleanUp()
            #expect(try await entries(place, where: "gone = 1") == 0)
            await expectFailure(.badRequest) { try await bob.page(stale) }
            #expect(try await bob.page(fresh).records.isEmpty)
            #expect(try await bob.news().records == ["list", "bread", "share of list"])
            // The owner has missed nothing.
            #expect(try await place.alice.page(owners).records.map(\.recordName) == ["milk"])
        }
    }

    @Test("is removed with shares that end and with zones that are deleted", arguments: StorageKind.allCases)
    func removed(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.shareRecord("list")
            try await place.shareRecord("diary")
            #expect(try await entries(place) == 5 + 3)
            _ = try await place.alice.modify([operation(.forceDelete, "share of list")])
            try await place.server.cleanUp()
            #expect(try await entries(place) == 3)
            let guid = try await place.shareRecord("list", everybody: .readOnly)
            try await place.accept(guid, "bob")
            let bob = place.guest("bob"), token = try await bob.database().token
            let _: ZonesResponse = try await place.alice.call(
                .zonesModify, ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)]))
            #expect(try await bob.database(token).zones.map(\.deleted) == [true])
            try await place.server.cleanUp()
            #expect(try await entries(place) == 0)
            // A zone of the same name begins without shares.
            try await place.alice.makeZone()
            try await place.alice.save("list")
            await expectFailure(.notFound) { try await place.accept(guid, "bob") }
            await expectFailure(.zoneNotFound) { try await bob.page() }
        }
    }

    @Test("travels with a storage, and guests go on where they were", arguments: StorageKind.allCases)
    func moved(_ kind: StorageKind) async throws {
        try await kind.withPlace { first in
            try await kind.withPlace { second in
                let token = try await withServer({ $0.storage = first }) { plain, _ in
                    let ada = plain.extended().user("ada")
                    try await ada.makeZone()
                    _ = try await ada.modify([Place.item("list", in: nil), Place.item("milk", in: "list")])
                    let shared = try await ada.modify([Place.share("S", of: "list", everybody: .readOnly)])
                    let guid = try #require(try shared[0].record().share?.shortGUID)
                    let _: ShareResultsResponse = try await ada.user("bob").on("public").call(
                        .recordsAccept, ShareGUIDsRequest(shortGUIDs: [ShortGUID(guid)]))
                    let page = try await MaintainedWorld.guestPage(plain.extended())
                    #expect(Set(page.records.map(\.recordName)) == ["list", "milk", "S"])
                    return page.syncToken
                }
                _ = try await MaintainedWorld.maintenance(first).copy(to: MaintainedWorld.maintenance(second))
                try await withServer({ $0.storage = second }) { plain, _ in
                    let ada = plain.extended().user("ada")
                    _ = try await ada.modify([Place.item("milk", in: nil, as: .forceReplace), create("secret")])
                    let page = try await MaintainedWorld.guestPage(plain.extended(), token)
                    #expect(page.records.map { "\($0.recordName) \($0.deleted)" } == ["milk true"])
                }
            }
        }
    }

    @Test("comes to a storage of an earlier version whose zones are shared as a whole", arguments: StorageKind.allCases)
    func upgraded(_ kind: StorageKind) async throws {
        try await kind.withPlace { place in
            let token = try await withServer({ $0.storage = place }) { plain, _ in
                let client = plain.extended()
                try await client.user("ada").makeZone()
                _ = try await client.user("ada").modify([create("a")])
                try await MaintainedWorld.share(client)
                return try await MaintainedWorld.guestPage(client).syncToken
            }
            // As the version before has left it.
            let world = MaintainedWorld(kind: kind, place: place)
            for statement: SQLText in [
                "DROP INDEX record_parent", "DROP INDEX participant_user", "DROP TABLE visibility",
                "DROP TABLE ended_share",
                "ALTER TABLE shared_zone DROP COLUMN floor", "ALTER TABLE participant DROP COLUMN since",
                "ALTER TABLE share DROP COLUMN head", "ALTER TABLE share DROP COLUMN root",
                "ALTER TABLE share DROP COLUMN number",
                kind == .directory
                    ? "DELETE FROM grdb_migrations WHERE identifier = 'record shares'"
                    : "DELETE FROM schema_step WHERE identifier = 'record shares'",
            ] { try world.execute(statement) }
            try await withServer({ $0.storage = place }) { plain, _ in
                let client = plain.extended()
                _ = try await client.user("ada").modify([create("b")])
                let page = try await MaintainedWorld.guestPage(client, token)
                #expect(page.records.map(\.recordName) == ["b"])
                let refused = try await client.user("ada").modify([Place.share("S", of: "a")])
                #expect(refused[0].error?.code == .badRequest)
            }
        }
    }

    @Test("is read by its indexes, whatever PostgreSQL expects of tables that it has not counted")
    func plans() async throws {
        try await StorageKind.postgreSQL.withStorage { storage in
            let plans = try storage.database.transact { connection -> [String] in
                let transaction = ZoneTransaction(connection)
                let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")
                let zone = try transaction.makeZone(try transaction.makeOwner(key, epoch: 1), named: "Z", epoch: 1)
                try transaction.execute(
                    """
                    INSERT INTO record (tenant_id, zone_id, name, type, sequence, deleted, flags, created, created_by,
                        modified, modified_by, parent, fields)
                    SELECT \(zone.tenantID), \(zone.zoneID), 'name' || n, 'Note', n, 0, 0, 0, 'u', 0, 'u',
                        'name' || (n / 10), ''
                    FROM generate_series(1, 20000) AS n
                    """)
                func plan(_ text: SQLText) throws -> String {
                    var lines: [String] = []
                    let query = text.statement(transaction.dialect).preceded(by: "EXPLAIN ")
                    try transaction.connection.forEachRow(of: query) { lines.append($0.text(0)) }
                    return lines.joined(separator: "\n")
                }
                return [
                    try plan(try transaction.childrenText(zone, of: ["name1", "name2"], limit: 10)),
                    try plan(try transaction.query(transaction.recordColumns, zone, named: ["name1"])),
                ]
            }
            #expect(plans[0].contains("record_parent") && !plans[0].contains("Seq Scan"), "\(plans[0])")
            #expect(plans[1].contains("record_key") && !plans[1].contains("record_parent"), "\(plans[1])")
        }
    }
}
