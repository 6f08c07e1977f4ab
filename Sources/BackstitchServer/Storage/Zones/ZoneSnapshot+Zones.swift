import BackstitchSQL
import CloudWire

/// Owners and zones, with their counters and epochs.
extension ZoneSnapshot {
    /// The row of an owner, or nil if nothing was ever written to the database.
    func owner(_ key: DatabaseKey) throws -> StoredOwner? {
        try one(
            """
            SELECT owner.tenant_id, owner_id, head, epoch FROM tenant JOIN owner USING (tenant_id)
            WHERE tenant.name = \(key.tenant) AND scope = \(key.scope.rawValue) AND owner.name = \(key.owner)
            """
        ) { StoredOwner(tenantID: $0.int(0), ownerID: $0.int(1), head: $0.int(2), epoch: $0.int(3)) }
    }

    private static let zoneColumnNames = [
        "tenant_id", "owner_id", "zone_id", "name", "epoch", "head", "owner_sequence", "state", "floor",
        "query_indexes", "sharing",
    ]
    static let zoneColumns = zoneColumnNames.joined(separator: ", ")
    static let zoneColumnCount = zoneColumnNames.count

    /// The columns for ``zone(_:)`` with the table's name, for joins with tables that have equal column names.
    static func columns(of table: String) -> String {
        zoneColumnNames.map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// Reads a zone from a row of these columns.
    static func zone(_ row: any SQLRow) -> StoredZone {
        StoredZone(
            tenantID: row.int(0), ownerID: row.int(1), zoneID: row.int(2), name: row.text(3), epoch: row.int(4),
            head: row.int(5), ownerSequence: row.int(6),
            state: StoredZone.State(rawValue: Int(row.int(7))) ?? .deleted, floor: row.int(8),
            queryIndexes: row.int(9), sharing: StoredZone.Sharing(rawValue: row.int(10)))
    }

    /// The zone with this name, which may be deleted.
    func zone(_ owner: StoredOwner, named name: String) throws -> StoredZone? {
        try one(
            """
            SELECT \(names: Self.zoneColumns) FROM zone
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND name = \(name)
            """, Self.zone)
    }

    /// The live zones of an owner, in the order of their names.
    func liveZones(_ owner: StoredOwner) throws -> [StoredZone] {
        try all(
            """
            SELECT \(names: Self.zoneColumns) FROM zone
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND state = 0 ORDER BY name
            """, Self.zone)
    }

    /// The zones whose last change is after a sequence, oldest change first.
    func changedZones(_ owner: StoredOwner, after sequence: Int64, limit: Int) throws -> [StoredZone] {
        try all(
            """
            SELECT \(names: Self.zoneColumns) FROM zone
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND owner_sequence > \(sequence)
                AND owner_sequence > 0
            ORDER BY owner_sequence LIMIT \(limit)
            """, Self.zone)
    }
}
