import BackstitchSQL
import CloudWire

/// The zones that other users share with a user, as entries of the user's shared database.
extension ZoneSnapshot {
    /// Entries of a user's shared database, with their zones and the user's rights.
    ///
    /// The query gives a row for each accepted share of a zone. The rows of one zone are merged.
    ///
    /// - Parameter entries: The rest of a condition for rows of `shared_zone`, with their order and a limit.
    private func sharedZones(_ owner: StoredOwner, _ user: String, _ entries: SQLText) throws -> [StoredSharedZone] {
        let rows: SQLText = """
            SELECT \(names: Self.columns(of: "zone")), entry.zone_owner, entry.zone_name,
                entry.owner_sequence, participant.kind, participant.permission, share.permission,
                entry.floor, share.number, share.record, share.root, share.head, participant.since
            FROM (
                SELECT * FROM shared_zone
                WHERE shared_zone.tenant_id = \(owner.tenantID) AND shared_zone.owner_id = \(owner.ownerID) AND \(entries)
            ) AS entry
            LEFT JOIN zone ON entry.state = 0 AND zone.state = 0
                AND zone.tenant_id = entry.tenant_id AND zone.zone_id = entry.zone_id
            LEFT JOIN participant\(by: "participant_user")
                ON participant.tenant_id = zone.tenant_id AND participant.zone_id = zone.zone_id
                AND participant."user" = \(user) AND participant.status = \(WireParticipant.Status.accepted.rawValue)
            LEFT JOIN share ON share.tenant_id = zone.tenant_id AND share.zone_id = zone.zone_id
                AND share.record = participant.share
            ORDER BY entry.owner_sequence, entry.zone_owner, entry.zone_name, share.number
            """
        var found: [StoredSharedZone] = []
        for entry in try all(rows, { Self.sharedZone($0, guestID: owner.ownerID) }) {
            if let last = found.last, last.owner.utf8.elementsEqual(entry.owner.utf8),
                last.name.utf8.elementsEqual(entry.name.utf8)
            {
                found[found.count - 1].add(entry)
            } else {
                found.append(entry)
            }
        }
        return found
    }

    /// Reads an entry. Its zone is nil if the zone is no longer shared with the user, or may not be read.
    private static func sharedZone(_ row: any SQLRow, guestID: Int64) -> StoredSharedZone {
        let count = zoneColumnCount
        var entry = StoredSharedZone(owner: row.text(count), name: row.text(count + 1), sequence: row.int(count + 2))
        if !row.isNull(0), let kind = row.optionalText(count + 3).flatMap(WireParticipant.Kind.init),
            let everybody = row.optionalText(count + 5).flatMap(SharePermission.init)
        {
            let own = row.optionalText(count + 4).flatMap(SharePermission.init) ?? .none
            let permission = StoredShare.permission(of: kind, own: own, everybody: everybody)
            var zone = zone(row)
            zone.floor = max(zone.floor, row.int(count + 6))
            zone.access = SharedAccess(owner: entry.owner, kind: kind, permission: permission, guestID: guestID)
            if let root = row.optionalText(count + 9) {
                zone.access?.parts = [
                    SharedPart(
                        number: row.int(count + 7), share: row.text(count + 8), root: root, head: row.int(count + 10),
                        since: row.int(count + 11), kind: kind, permission: permission)
                ]
            }
            if permission.allowsReading { entry.zone = zone }
        }
        return entry
    }

    /// A zone shared with this user, with the user's rights; nil if the user may not read it.
    ///
    /// - Parameter owner: The row of the user's shared database.
    func sharedZone(
        _ owner: StoredOwner, user: String, of zoneOwner: String, named name: String
    ) throws -> StoredZone? {
        try sharedZones(owner, user, "zone_owner = \(zoneOwner) AND zone_name = \(name)").first?.zone
    }

    /// All zones shared with this user, in the order of owner and name.
    func sharedZones(_ owner: StoredOwner, user: String) throws -> [StoredZone] {
        try sharedZones(owner, user, "state = 0").sorted { ($0.owner, $0.name) < ($1.owner, $1.name) }
            .compactMap(\.zone)
    }

    /// The entries of a shared database that changed after a sequence, oldest change first. Ended entries are included.
    func changedSharedZones(
        _ owner: StoredOwner, user: String, after sequence: Int64, limit: Int
    ) throws -> [StoredSharedZone] {
        try sharedZones(
            owner, user,
            "owner_sequence > \(sequence) AND owner_sequence > 0 ORDER BY owner_sequence, zone_owner, zone_name LIMIT \(limit)"
        )
    }

    /// The number of zones shared with a user, and the number with ended ones included.
    func sharedZoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int) {
        try one(
            """
            SELECT count(*) FILTER (WHERE state = 0), count(*) FROM shared_zone
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID)
            """
        ) { (Int($0.int(0)), Int($0.int(1))) } ?? (0, 0)
    }

    /// The users who have accepted a share of the zone.
    func guests(of zone: StoredZone) throws -> [String] {
        guard zone.sharing.contains(.accepted) else { return [] }
        return try all(
            """
            SELECT owner.name FROM shared_zone\(by: "shared_zone_guests") JOIN owner USING (tenant_id, owner_id)
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND state = 0 ORDER BY owner_id
            """
        ) { $0.text(0) }
    }

    /// The query for the numbers of the shared databases of these users.
    func databases(ofGuests users: [String], _ zone: StoredZone) throws -> SQLText {
        let isOfGuest: SQLText = """
            tenant_id = \(zone.tenantID) AND scope = \(DatabaseScope.shared.rawValue) AND name = wanted
            """
        return "SELECT owner_id FROM \(texts: try list(users))\(lookUp: "owner", where: isOfGuest)"
    }
}

extension StoredSharedZone {
    /// Merges another share through which the user sees the same zone.
    fileprivate mutating func add(_ entry: StoredSharedZone) {
        guard var zone, let access = zone.access, let more = entry.zone?.access else {
            if zone == nil { zone = entry.zone }
            return
        }
        var merged = access
        merged.parts = (access.parts ?? []) + (more.parts ?? [])
        if more.permission == .readWrite { merged.permission = .readWrite }
        zone.access = merged
        self.zone = zone
    }
}
