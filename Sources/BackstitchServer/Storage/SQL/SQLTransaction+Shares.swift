import BackstitchSQL
import CloudWire

/// Shares and their participants.
extension SQLTransaction {
    func share(of zone: StoredZone) throws -> StoredShare? {
        guard zone.sharing.contains(.shared) else { return nil }
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        let share = try one("SELECT record, guid, permission FROM share WHERE \(inZone)") {
            StoredShare(
                record: $0.text(0), shortGUID: $0.text(1),
                publicPermission: SharePermission(rawValue: $0.text(2)) ?? .none, participants: [])
        }
        guard var share else { return nil }
        share.participants = try all(
            """
            SELECT id, "user", address, kind, status, permission, names FROM participant
            WHERE \(inZone) AND share = \(share.record)
            ORDER BY CASE WHEN kind = \(WireParticipant.Kind.owner.rawValue) THEN 0 ELSE 1 END, id
            """
        ) {
            StoredParticipant(
                id: $0.text(0), user: $0.optionalText(1), emailAddress: $0.optionalText(2),
                kind: WireParticipant.Kind(rawValue: $0.text(3)) ?? .unknown,
                status: WireParticipant.Status(rawValue: $0.text(4)) ?? .unknown,
                permission: SharePermission(rawValue: $0.text(5)) ?? .none,
                names: try UserNameComponents(wireJSON: Array($0.text(6).utf8)))
        }
        return share
    }

    func sharedZone(tenant: String, shortGUID: String) throws -> (zone: StoredZone, owner: String)? {
        let zoneColumns = Self.columns(of: "zone")
        return try one(
            """
            SELECT \(names: zoneColumns), owner.name FROM tenant
            JOIN share ON share.tenant_id = tenant.tenant_id AND share.guid = \(shortGUID)
            JOIN zone ON zone.tenant_id = share.tenant_id AND zone.zone_id = share.zone_id AND zone.state = 0
            JOIN owner ON owner.tenant_id = zone.tenant_id AND owner.owner_id = zone.owner_id
            WHERE tenant.name = \(tenant)
            """
        ) { (Self.zone($0), $0.text(Self.zoneColumnCount)) }
    }

    func putShare(_ share: StoredShare, of zone: StoredZone) throws {
        let inShare: SQLText = """
            tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND share = \(share.record)
            """
        try execute(
            """
            INSERT INTO share (tenant_id, zone_id, record, guid, permission)
            VALUES (\(zone.tenantID), \(zone.zoneID), \(share.record), \(share.shortGUID),
                \(share.publicPermission.rawValue))
            ON CONFLICT (tenant_id, zone_id, record) DO UPDATE SET permission = excluded.permission
            """)
        try execute("DELETE FROM participant WHERE \(inShare)")
        for participant in share.participants {
            let names = String(decoding: try participant.names.wireJSON(), as: UTF8.self)
            try execute(
                """
                INSERT INTO participant
                    (tenant_id, zone_id, share, id, "user", address, kind, status, permission, names)
                VALUES (\(zone.tenantID), \(zone.zoneID), \(share.record), \(participant.id), \(participant.user),
                    \(participant.emailAddress), \(participant.kind.rawValue), \(participant.status.rawValue),
                    \(participant.permission.rawValue), \(names))
                """)
        }
        try noteSharing(of: zone)
    }

    func removeShare(of zone: StoredZone) throws {
        for table in ["participant", "share"] {
            try execute(
                "DELETE FROM \(names: table) WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)")
        }
        try noteSharing(of: zone)
    }

    /// Writes into the zone's row what a commit must look after.
    func noteSharing(of zone: StoredZone) throws {
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        try execute(
            """
            UPDATE zone SET sharing = CASE WHEN EXISTS (SELECT 1 FROM share WHERE \(inZone)) THEN 1 ELSE 0 END
                + CASE WHEN EXISTS (SELECT 1 FROM shared_zone WHERE \(inZone) AND state = 0) THEN 2 ELSE 0 END
            WHERE \(inZone)
            """)
    }
}
