import BackstitchSQL
import CloudWire

/// The writes of shared zones. All of them need the zone's lock.
extension ZoneTransaction {
    /// Adds a zone to a user's shared database. The following commit counts as its first change.
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

    /// Ends the access of users. The following commit counts as a change of their databases.
    func endAccess(to zone: StoredZone, ofUsers users: [String]) throws {
        try execute(
            """
            UPDATE shared_zone\(by: "shared_zone_guests") SET state = \(names: Self.ending)
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND state = 0
                AND owner_id IN (\(try databases(ofGuests: users, zone)))
            """)
        try noteSharing(of: zone)
    }

    /// The state of an entry that ended in this transaction. The change of its database is not counted yet.
    private static let ending = "2"

    /// Counts a commit as a change in the databases of the zone's guests, including those whose access ends with it.
    ///
    /// - Parameter users: The guests; nil for all of them.
    func advanceGuests(of zone: StoredZone, users: [String]?) throws {
        guard zone.sharing.contains(.accepted) else { return }
        var entries: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND state <> 1"
        if let users {
            guard !users.isEmpty else { return }
            entries = "\(entries) AND owner_id IN (\(try databases(ofGuests: users, zone)))"
        }
        let guests: SQLText = """
            tenant_id = \(zone.tenantID) AND owner_id IN (
                SELECT owner_id FROM shared_zone\(by: "shared_zone_guests") WHERE \(entries))
            """
        // All transactions lock the owners in the same order. So commits of two zones with the same guests cannot
        // deadlock.
        if hasOtherWriters {
            _ = try all("SELECT owner_id FROM owner WHERE \(guests) ORDER BY owner_id\(lock: .noKeyUpdate)") {
                $0.int(0)
            }
        }
        try execute("UPDATE owner SET head = head + 1 WHERE \(guests)")
        try execute(
            """
            UPDATE shared_zone\(by: "shared_zone_guests")
            SET state = CASE state WHEN 0 THEN 0 ELSE 1 END, owner_sequence = (
                SELECT head FROM owner
                WHERE owner.tenant_id = shared_zone.tenant_id AND owner.owner_id = shared_zone.owner_id)
            WHERE \(entries)
            """)
    }
}
