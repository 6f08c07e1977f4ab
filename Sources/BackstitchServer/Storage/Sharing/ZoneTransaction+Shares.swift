import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The writes of shares and their participants. All of them need the zone's lock.
extension ZoneTransaction {
    /// Adds a share, or replaces the stored one.
    ///
    /// - Parameter before: The share as read under the zone's lock. Only differences are written.
    func putShare(_ share: StoredShare, replacing before: StoredShare?, of zone: StoredZone) throws {
        try execute(
            """
            INSERT INTO share (tenant_id, zone_id, record, guid, permission, number, root)
            VALUES (\(zone.tenantID), \(zone.zoneID), \(share.record), \(share.shortGUID),
                \(share.publicPermission.rawValue), \(share.number), \(share.root))
            ON CONFLICT (tenant_id, zone_id, record) DO UPDATE SET permission = excluded.permission
            """)
        let old = Set(before?.participants ?? []), new = Set(share.participants)
        try remove(old.subtracting(new), from: share, of: zone)
        try insert(share.participants.filter { !old.contains($0) }, into: share, of: zone)
        try noteSharing(of: zone)
    }

    /// Removes participants from a share.
    private func remove(_ participants: Set<StoredParticipant>, from share: StoredShare, of zone: StoredZone) throws {
        guard !participants.isEmpty else { return }
        try execute(
            """
            DELETE FROM participant
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND share = \(share.record)
                AND id IN (SELECT wanted FROM \(texts: try list(participants.map(\.id).sorted())))
            """)
    }

    /// Adds participants. Their room is charged to the zone's owner, even if another user adds them.
    private func insert(_ participants: [StoredParticipant], into share: StoredShare, of zone: StoredZone) throws {
        guard !participants.isEmpty else { return }
        let owner: SQLText = "tenant_id = \(zone.tenantID) AND owner_id = \(zone.ownerID)"
        let payer = try one("SELECT name FROM owner WHERE \(owner)") { $0.text(0) } ?? ""
        let names = try participants.map { String(decoding: try $0.names.wireJSON(), as: UTF8.self) }
        let types: [SQLBulkType] = [.integer, .integer] + Array(repeating: .text, count: 8) + [.integer, .text, .text]
        let statement = SQLBulkBuilder(dialect, types).insert(
            into: "participant",
            [
                "tenant_id", "zone_id", "share", "id", "\"user\"", "address", "kind", "status", "permission", "names",
                "since", "public_key", "payer",
            ])
        try runEach(statement, count: participants.count) { place, parameters in
            let participant = participants[place]
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(share.record, at: 3)
            parameters.bind(participant.id, at: 4)
            parameters.bind(participant.user, at: 5)
            parameters.bind(participant.emailAddress, at: 6)
            parameters.bind(participant.kind.rawValue, at: 7)
            parameters.bind(participant.status.rawValue, at: 8)
            parameters.bind(participant.permission.rawValue, at: 9)
            parameters.bind(names[place], at: 10)
            parameters.bind(participant.since, at: 11)
            parameters.bind(participant.publicKey, at: 12)
            parameters.bind(payer, at: 13)
        }
    }

    /// Removes a share with its participants.
    func removeShare(_ share: StoredShare, of zone: StoredZone) throws {
        let inShare: SQLText = """
            tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND share = \(share.record)
            """
        try execute("DELETE FROM participant WHERE \(inShare)")
        try execute(
            """
            DELETE FROM share WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                AND record = \(share.record)
            """)
        if share.root != nil {
            try execute(
                """
                INSERT INTO ended_share (tenant_id, zone_id, number)
                VALUES (\(zone.tenantID), \(zone.zoneID), \(share.number))
                """)
        }
        try noteSharing(of: zone)
    }

    /// Writes the kinds of sharing into the zone's row, as a hint for each commit.
    func noteSharing(of zone: StoredZone) throws {
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        try execute(
            """
            UPDATE zone SET sharing = CASE WHEN EXISTS (SELECT 1 FROM share WHERE \(inZone)) THEN 1 ELSE 0 END
                + CASE WHEN EXISTS (
                    SELECT 1 FROM shared_zone\(by: "shared_zone_guests") WHERE \(inZone) AND state = 0
                ) THEN 2 ELSE 0 END
                + CASE WHEN EXISTS (SELECT 1 FROM share WHERE \(inZone) AND root IS NOT NULL) THEN 4 ELSE 0 END
            WHERE \(inZone)
            """)
    }
}
