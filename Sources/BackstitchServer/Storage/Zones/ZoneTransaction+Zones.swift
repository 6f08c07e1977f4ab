import BackstitchSQL
import CloudWire

/// The writes of owners and zones.
extension ZoneTransaction {
    /// The row of an owner. A missing row is made with this epoch.
    func makeOwner(_ key: DatabaseKey, epoch: Int64) throws -> StoredOwner {
        if let owner = try owner(key) { return owner }
        try execute("INSERT INTO tenant (name) VALUES (\(key.tenant)) ON CONFLICT DO NOTHING")
        // The numbers of owners and zones are counted within a tenant, so they are made one after the other.
        let tenantID = try one("SELECT tenant_id FROM tenant WHERE name = \(key.tenant)\(lock: .noKeyUpdate)") {
            $0.int(0)
        }
        guard let tenantID else { throw WireError(.internalError, "tenant '\(key.tenant)' was made, but is missing") }
        let ownerID = try changed(
            """
            INSERT INTO owner (tenant_id, owner_id, scope, name, head, epoch)
            SELECT \(tenantID), coalesce(max(owner_id), 0) + 1, \(key.scope.rawValue), \(key.owner), 0, \(epoch)
            FROM owner WHERE tenant_id = \(tenantID) ON CONFLICT (tenant_id, scope, name) DO NOTHING RETURNING owner_id
            """
        ) { $0.int(0) }.first
        // If another transaction was quicker, its row is used.
        guard let ownerID else {
            guard let owner = try owner(key) else {
                throw WireError(.internalError, "owner '\(key.owner)' was made, but is missing")
            }
            return owner
        }
        return StoredOwner(tenantID: tenantID, ownerID: ownerID, head: 0, epoch: epoch)
    }

    /// Makes a live zone, and returns it.
    func makeZone(_ owner: StoredOwner, named name: String, epoch: Int64) throws -> StoredZone {
        if hasOtherWriters {
            _ = try one("SELECT tenant_id FROM tenant WHERE tenant_id = \(owner.tenantID)\(lock: .noKeyUpdate)") {
                $0.int(0)
            }
        }
        let zoneID = try changed(
            """
            INSERT INTO zone (tenant_id, zone_id, owner_id, name, epoch, head, owner_sequence, state)
            SELECT \(owner.tenantID), coalesce(max(zone_id), 0) + 1, \(owner.ownerID), \(name), \(epoch), 0, 0, 0
            FROM zone WHERE tenant_id = \(owner.tenantID)
            ON CONFLICT (tenant_id, owner_id, name) DO NOTHING RETURNING zone_id
            """
        ) { $0.int(0) }.first
        guard let zoneID else {
            guard let zone = try zone(owner, named: name) else {
                throw WireError(.internalError, "zone '\(name)' was made, but is missing")
            }
            return zone
        }
        return StoredZone(
            tenantID: owner.tenantID, ownerID: owner.ownerID, zoneID: zoneID, name: name, epoch: epoch, head: 0,
            ownerSequence: 0, state: .live)
    }

    /// Blocks other writers of this zone until the transaction ends, and returns the zone's current state.
    ///
    /// Locks the row before any record of the zone is read. The counter is raised at the end of the transaction.
    ///
    /// So a plan is based on the records at the time of its write, and sequences rise in the order of the commits.
    func lock(_ zone: StoredZone) throws -> StoredZone {
        guard hasOtherWriters else { return zone }
        let locked = try one(
            """
            SELECT \(names: Self.zoneColumns) FROM zone
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)\(lock: .noKeyUpdate)
            """, Self.zone)
        if let locked, locked.name == zone.name { return locked }
        // Another transaction emptied the zone during the wait, so it continues in another row.
        let next = try one(
            """
            SELECT \(names: Self.zoneColumns) FROM zone
            WHERE tenant_id = \(zone.tenantID) AND owner_id = \(zone.ownerID) AND name = \(zone.name)
            \(lock: .noKeyUpdate)
            """, Self.zone)
        guard let next else { throw WireError(.tryAgainLater, "zone '\(zone.name)' is being emptied", retryAfter: 1) }
        return next
    }

    /// Counts a commit of a locked zone, and returns its sequence.
    func advance(_ zone: StoredZone) throws -> Int64 {
        try changed(
            """
            UPDATE zone SET head = head + 1 WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) RETURNING head
            """
        ) { $0.int(0) }.first ?? 0
    }

    /// Counts a change of a zone for `changes/database`, in its owner's database and in those of its guests. The zone
    /// gets the owner's new number.
    ///
    /// - Parameter guests: The guests to tell of the change; nil for all of them.
    func advanceOwner(of zone: StoredZone, guests: [String]?) throws {
        try execute(
            "UPDATE owner SET head = head + 1 WHERE tenant_id = \(zone.tenantID) AND owner_id = \(zone.ownerID)")
        try execute(
            """
            UPDATE zone SET owner_sequence = (
                SELECT head FROM owner WHERE tenant_id = \(zone.tenantID) AND owner_id = \(zone.ownerID))
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
            """)
        try advanceGuests(of: zone, users: guests)
    }

    /// Sets the state and the epoch of a zone.
    func update(_ zone: StoredZone, state: StoredZone.State, epoch: Int64) throws {
        try execute(
            """
            UPDATE zone SET state = \(state.rawValue), epoch = \(epoch)
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
            """)
    }

    /// Gives every owner and zone a new epoch, so that all older tokens are refused.
    ///
    /// The lower half comes from `next`. The upper half stays: by it clients know that the zone is still the same.
    func renewEpochs(_ next: () -> Int64) throws {
        for (table, key) in [("owner", "owner_id"), ("zone", "zone_id")] {
            let rows = try all("SELECT tenant_id, \(names: key) FROM \(names: table)") { ($0.int(0), $0.int(1)) }
            for (tenantID, number) in rows {
                try execute(
                    """
                    UPDATE \(names: table) SET epoch = (epoch & -4294967296) | (\(next()) & 4294967295)
                    WHERE tenant_id = \(tenantID) AND \(names: key) = \(number)
                    """)
            }
        }
    }
}
