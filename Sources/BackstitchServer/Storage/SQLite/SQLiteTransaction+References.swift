import CloudWire
import GRDB

extension SQLiteTransaction {
    func references(_ zone: StoredZone, to targets: [String], limit: Int) throws -> [StoredReference] {
        try all(
            """
            SELECT source, target, action FROM (SELECT value AS wanted FROM json_each(?)) CROSS JOIN reference
            ON tenant_id = ? AND zone_id = ? AND target = wanted LIMIT ?
            """, [try list(targets), zone.tenantID, zone.zoneID, limit]
        ) { StoredReference(source: $0[0], target: $0[1], action: .init(rawValue: $0[2]) ?? .none) }
    }

    func sourceCounts(_ zone: StoredZone, of targets: [String], upTo limit: Int) throws -> [(
        target: String, count: Int
    )] {
        try all(
            """
            SELECT value, (SELECT count(*) FROM (
                SELECT 1 FROM reference WHERE tenant_id = ?1 AND zone_id = ?2 AND target = value AND action = ?3 LIMIT ?4))
            FROM json_each(?5)
            """,
            [zone.tenantID, zone.zoneID, WireReference.Action.deleteSelf.rawValue, limit, try list(targets)]
        ) { ($0[0], $0[1]) }
    }

    func setReferences(_ zone: StoredZone, from source: String, _ references: [StoredReference]) throws {
        try execute(
            "DELETE FROM reference WHERE tenant_id = ? AND zone_id = ? AND source = ?",
            [zone.tenantID, zone.zoneID, source])
        for reference in references {
            try execute(
                """
                INSERT INTO reference (tenant_id, zone_id, target, source, action) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """, [zone.tenantID, zone.zoneID, reference.target, source, reference.action.rawValue])
        }
    }
}
