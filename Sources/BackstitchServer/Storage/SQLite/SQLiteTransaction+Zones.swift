import Foundation
import GRDB

extension SQLiteTransaction {
    func owner(_ key: DatabaseKey) throws -> StoredOwner? {
        try one(
            """
            SELECT owner.tenant_id, owner_id, head, epoch FROM tenant JOIN owner USING (tenant_id)
            WHERE tenant.name = ? AND scope = ? AND owner.name = ?
            """, [key.tenant, key.scope.rawValue, key.owner]
        ) { StoredOwner(tenantID: $0[0], ownerID: $0[1], head: $0[2], epoch: $0[3]) }
    }

    func makeOwner(_ key: DatabaseKey, epoch: Int64) throws -> StoredOwner {
        if let owner = try owner(key) { return owner }
        try execute("INSERT INTO tenant (name) VALUES (?) ON CONFLICT DO NOTHING", [key.tenant])
        let tenantID = try one("SELECT tenant_id FROM tenant WHERE name = ?", [key.tenant]) { $0[0] as Int64 }
        let ownerID = try one(
            """
            INSERT INTO owner (tenant_id, owner_id, scope, name, head, epoch)
            SELECT ?1, coalesce(max(owner_id), 0) + 1, ?2, ?3, 0, ?4 FROM owner WHERE tenant_id = ?1
            RETURNING owner_id
            """, [tenantID, key.scope.rawValue, key.owner, epoch]
        ) { $0[0] as Int64 }
        return StoredOwner(tenantID: tenantID ?? 0, ownerID: ownerID ?? 0, head: 0, epoch: epoch)
    }

    private static let zoneColumns = "tenant_id, owner_id, zone_id, name, epoch, head, owner_sequence, state, floor"

    private static func zone(_ row: Row) -> StoredZone {
        StoredZone(
            tenantID: row[0], ownerID: row[1], zoneID: row[2], name: row[3], epoch: row[4], head: row[5],
            ownerSequence: row[6], state: StoredZone.State(rawValue: row[7]) ?? .deleted, floor: row[8])
    }

    func zone(_ owner: StoredOwner, named name: String) throws -> StoredZone? {
        try one(
            "SELECT \(Self.zoneColumns) FROM zone WHERE tenant_id = ? AND owner_id = ? AND name = ?",
            [owner.tenantID, owner.ownerID, name], Self.zone)
    }

    func liveZones(_ owner: StoredOwner) throws -> [StoredZone] {
        try all(
            """
            SELECT \(Self.zoneColumns) FROM zone WHERE tenant_id = ? AND owner_id = ? AND state = 0 ORDER BY name
            """, [owner.tenantID, owner.ownerID], Self.zone)
    }

    func changedZones(_ owner: StoredOwner, after sequence: Int64, limit: Int) throws -> [StoredZone] {
        try all(
            """
            SELECT \(Self.zoneColumns) FROM zone WHERE tenant_id = ? AND owner_id = ? AND owner_sequence > ?
            ORDER BY owner_sequence LIMIT ?
            """, [owner.tenantID, owner.ownerID, sequence, limit], Self.zone)
    }

    func makeZone(_ owner: StoredOwner, named name: String, epoch: Int64) throws -> StoredZone {
        let zoneID = try one(
            """
            INSERT INTO zone (tenant_id, zone_id, owner_id, name, epoch, head, owner_sequence, state)
            SELECT ?1, coalesce(max(zone_id), 0) + 1, ?2, ?3, ?4, 0, 0, 0 FROM zone WHERE tenant_id = ?1
            RETURNING zone_id
            """, [owner.tenantID, owner.ownerID, name, epoch]
        ) { $0[0] as Int64 }
        return StoredZone(
            tenantID: owner.tenantID, ownerID: owner.ownerID, zoneID: zoneID ?? 0, name: name, epoch: epoch, head: 0,
            ownerSequence: 0, state: .live)
    }

    /// SQLite has one writer, so the transaction itself is the lock.
    func lock(_ zone: StoredZone) throws -> StoredZone { zone }

    func advance(_ zone: StoredZone) throws -> Int64 {
        try one(
            "UPDATE zone SET head = head + 1 WHERE tenant_id = ? AND zone_id = ? RETURNING head",
            [zone.tenantID, zone.zoneID]
        ) { $0[0] as Int64 } ?? 0
    }

    func advanceOwner(_ owner: StoredOwner, for zone: StoredZone) throws {
        try execute(
            "UPDATE owner SET head = head + 1 WHERE tenant_id = ? AND owner_id = ?", [owner.tenantID, owner.ownerID])
        try execute(
            """
            UPDATE zone SET owner_sequence = (SELECT head FROM owner WHERE tenant_id = ?1 AND owner_id = ?2)
            WHERE tenant_id = ?1 AND zone_id = ?3
            """, [owner.tenantID, owner.ownerID, zone.zoneID])
    }

    func update(_ zone: StoredZone, state: StoredZone.State, epoch: Int64) throws {
        try execute(
            "UPDATE zone SET state = ?, epoch = ? WHERE tenant_id = ? AND zone_id = ?",
            [state.rawValue, epoch, zone.tenantID, zone.zoneID])
    }

    func renewEpochs(_ next: () -> Int64) throws {
        for (table, key) in [("owner", "owner_id"), ("zone", "zone_id")] {
            for row in try all("SELECT tenant_id, \(key) FROM \(table)", [], { ($0[0] as Int64, $0[1] as Int64) }) {
                try execute(
                    "UPDATE \(table) SET epoch = (epoch & -4294967296) | (? & 4294967295) WHERE tenant_id = ? AND \(key) = ?",
                    [next(), row.0, row.1])
            }
        }
    }
}
