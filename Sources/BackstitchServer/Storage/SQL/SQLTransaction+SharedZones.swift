import BackstitchSQL
import CloudWire

/// The databases of what others share with a user.
extension SQLTransaction {
    /// The columns of an entry, of its zone, and of the rights of the user, for ``sharedZone(_:)``.
    private func selection(_ owner: StoredOwner, _ user: String) -> SQLText {
        """
        SELECT \(names: Self.columns(of: "zone")), shared_zone.zone_owner, shared_zone.zone_name,
            shared_zone.owner_sequence, participant.kind, participant.permission, share.permission
        FROM shared_zone
        LEFT JOIN zone ON shared_zone.state = 0 AND zone.state = 0
            AND zone.tenant_id = shared_zone.tenant_id AND zone.zone_id = shared_zone.zone_id
        LEFT JOIN participant ON participant.tenant_id = zone.tenant_id AND participant.zone_id = zone.zone_id
            AND participant."user" = \(user) AND participant.status = \(WireParticipant.Status.accepted.rawValue)
        LEFT JOIN share ON share.tenant_id = zone.tenant_id AND share.zone_id = zone.zone_id
            AND share.record = participant.share
        WHERE shared_zone.tenant_id = \(owner.tenantID) AND shared_zone.owner_id = \(owner.ownerID)
        """
    }

    private static func sharedZone(_ row: any SQLRow) -> StoredSharedZone {
        let count = zoneColumnCount
        var entry = StoredSharedZone(owner: row.text(count), name: row.text(count + 1), sequence: row.int(count + 2))
        if !row.isNull(0), let kind = row.optionalText(count + 3).flatMap(WireParticipant.Kind.init),
            let everybody = row.optionalText(count + 5).flatMap(SharePermission.init)
        {
            let own = row.optionalText(count + 4).flatMap(SharePermission.init) ?? .none
            let permission = StoredShare.permission(of: kind, own: own, everybody: everybody)
            var zone = zone(row)
            zone.access = SharedAccess(owner: entry.owner, kind: kind, permission: permission)
            if permission.allowsReading { entry.zone = zone }
        }
        return entry
    }

    func sharedZone(
        _ owner: StoredOwner, user: String, of zoneOwner: String, named name: String
    ) throws -> StoredZone? {
        try one(
            """
            \(selection(owner, user)) AND shared_zone.zone_owner = \(zoneOwner) AND shared_zone.zone_name = \(name)
            """, Self.sharedZone)?.zone
    }

    func sharedZones(_ owner: StoredOwner, user: String) throws -> [StoredZone] {
        try all(
            """
            \(selection(owner, user)) AND shared_zone.state = 0 ORDER BY shared_zone.zone_owner, shared_zone.zone_name
            """, Self.sharedZone
        ).compactMap(\.zone)
    }

    func changedSharedZones(
        _ owner: StoredOwner, user: String, after sequence: Int64, limit: Int
    ) throws -> [StoredSharedZone] {
        try all(
            """
            \(selection(owner, user)) AND shared_zone.owner_sequence > \(sequence)
            ORDER BY shared_zone.owner_sequence, shared_zone.zone_owner, shared_zone.zone_name LIMIT \(limit)
            """, Self.sharedZone)
    }

    func sharedZoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int) {
        try one(
            """
            SELECT count(*) FILTER (WHERE state = 0), count(*) FROM shared_zone
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID)
            """
        ) { (Int($0.int(0)), Int($0.int(1))) } ?? (0, 0)
    }

    func guests(of zone: StoredZone) throws -> [String] {
        guard zone.sharing.contains(.accepted) else { return [] }
        return try all(
            """
            SELECT owner.name FROM shared_zone JOIN owner USING (tenant_id, owner_id)
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND state = 0 ORDER BY owner_id
            """
        ) { $0.text(0) }
    }

    func grantAccess(to zone: StoredZone, of zoneOwner: String, in owner: StoredOwner) throws {
        try execute(
            """
            INSERT INTO shared_zone (tenant_id, owner_id, zone_owner, zone_name, zone_id, owner_sequence, state)
            VALUES (\(zone.tenantID), \(owner.ownerID), \(zoneOwner), \(zone.name), \(zone.zoneID), 0, 0)
            ON CONFLICT (tenant_id, owner_id, zone_owner, zone_name)
            DO UPDATE SET zone_id = excluded.zone_id, state = 0
            """)
        try noteSharing(of: zone)
    }

    func endAccess(to zone: StoredZone, ofUsers users: [String]) throws {
        try execute(
            """
            UPDATE shared_zone SET state = \(names: Self.ending)
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND state = 0 AND owner_id IN (
                SELECT owner_id FROM owner WHERE tenant_id = \(zone.tenantID)
                    AND scope = \(DatabaseScope.shared.rawValue)
                    AND name IN (SELECT wanted FROM \(texts: try list(users))))
            """)
        try noteSharing(of: zone)
    }

    /// The state of an entry that has ended in this transaction: its database is still to hear of it.
    private static let ending = "2"

    func advanceGuests(of zone: StoredZone) throws {
        guard zone.sharing.contains(.accepted) else { return }
        let entries: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND state <> 1"
        let guests: SQLText = """
            tenant_id = \(zone.tenantID) AND owner_id IN (SELECT owner_id FROM shared_zone WHERE \(entries))
            """
        // In one order by all, so that commits of two zones with the same guests never wait for each other.
        if hasOtherWriters {
            _ = try all("SELECT owner_id FROM owner WHERE \(guests) ORDER BY owner_id\(lock: .noKeyUpdate)") {
                $0.int(0)
            }
        }
        try execute("UPDATE owner SET head = head + 1 WHERE \(guests)")
        try execute(
            """
            UPDATE shared_zone SET state = CASE state WHEN 0 THEN 0 ELSE 1 END, owner_sequence = (
                SELECT head FROM owner
                WHERE owner.tenant_id = shared_zone.tenant_id AND owner.owner_id = shared_zone.owner_id)
            WHERE \(entries)
            """)
    }
}
