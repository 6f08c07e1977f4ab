import Backstitch
import BackstitchSQL
import Testing

@testable import BackstitchServer

@Suite("names are looked up by the key, whatever the database expects")
struct LookUpPlanTests {
    private static let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")

    @Test("in a zone that was filled since PostgreSQL last counted its rows, a look-up of many names reads these alone")
    func uncounted() async throws {
        try await StorageKind.postgreSQL.withStorage { storage in
            let plan = try storage.database.transact { connection -> String in
                let transaction = ZoneTransaction(connection)
                let owner = try transaction.makeOwner(Self.key, epoch: 1)
                let zone = try transaction.makeZone(owner, named: "Z", epoch: 1)
                try transaction.execute(
                    """
                    INSERT INTO record (tenant_id, zone_id, name, type, sequence, deleted, flags, created, created_by,
                        modified, modified_by, fields)
                    SELECT \(zone.tenantID), \(zone.zoneID), 'name' || n, 'Note', n, 0, 0, 0, 'u', 0, 'u', ''
                    FROM generate_series(1, 20000) AS n
                    """)
                var lines: [String] = []
                let query = try transaction.query(
                    transaction.recordColumns, zone, named: ["name1", "name2"]
                ).statement(transaction.dialect)
                try transaction.connection.forEachRow(of: query.preceded(by: "EXPLAIN ")) { lines.append($0.text(0)) }
                return lines.joined(separator: "\n")
            }
            #expect(plan.contains("record_key") && !plan.contains("Seq Scan"), "\(plan)")
            #expect(!plan.contains("record_news"), "\(plan)")
        }
    }
}
