import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The writes of the log of visible records. All of them need the zone's lock.
extension ZoneTransaction {
    private static let visibilityColumns = [
        "tenant_id", "zone_id", "share", "name", "sequence", "history", "gone", "changed",
    ]
    private static let visibilityConflict = """
         ON CONFLICT (tenant_id, zone_id, share, name) DO UPDATE SET sequence = excluded.sequence,
        history = excluded.history, gone = excluded.gone, changed = excluded.changed
        """

    /// Adds entries, or replaces those of the same share and record.
    func putVisibility(_ entries: [StoredVisibility], in zone: StoredZone) throws {
        let types: [SQLBulkType] = [.integer, .integer, .integer, .text, .integer, .integer, .integer, .integer]
        let statement = SQLBulkBuilder(dialect, types).insert(
            into: "visibility", Self.visibilityColumns, Self.visibilityConflict)
        try runEach(statement, count: entries.count) { index, parameters in
            parameters.bind(zone.tenantID, at: 1)
            parameters.bind(zone.zoneID, at: 2)
            parameters.bind(entries[index].share, at: 3)
            parameters.bind(entries[index].name, at: 4)
            parameters.bind(entries[index].sequence, at: 5)
            parameters.bind(entries[index].history, at: 6)
            parameters.bind(Int64(entries[index].isGone ? 1 : 0), at: 7)
            parameters.bind(entries[index].changed, at: 8)
        }
    }

    /// Notes the last sequence of some shares.
    func putHead(_ sequence: Int64, ofShares numbers: Set<Int64>, in zone: StoredZone) throws {
        guard !numbers.isEmpty else { return }
        try execute(
            """
            UPDATE share SET head = \(sequence) WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
                AND \(try haveNumbers(numbers))
            """)
    }

    /// Lists all visible records of a share again for some guests; with `gone`, also the records they have seen in it
    /// before.
    func tell(
        _ users: [String], of share: StoredShare, in zone: StoredZone, at entry: StoredVisibility, gone: Bool
    ) throws {
        guard !users.isEmpty else { return }
        let isTold: SQLText = gone ? "(v.gone = 0 OR v.sequence > p.since)" : "v.gone = 0"
        try execute(
            """
            INSERT INTO visibility (\(names: Self.visibilityColumns.joined(separator: ", ")))
            SELECT v.tenant_id, v.zone_id, -o.owner_id, v.name, \(entry.sequence), \(entry.history), 1, \(entry.changed)
            FROM visibility AS v
            JOIN participant AS p ON p.tenant_id = v.tenant_id AND p.zone_id = v.zone_id AND p.share = \(share.record)
            JOIN owner AS o ON o.tenant_id = p.tenant_id AND o.name = p."user"
                AND o.scope = \(DatabaseScope.shared.rawValue)
            WHERE v.tenant_id = \(zone.tenantID) AND v.zone_id = \(zone.zoneID) AND v.share = \(share.number)
                AND p."user" IN (SELECT wanted FROM \(texts: try list(users))) AND \(isTold)
            \(names: Self.visibilityConflict)
            """)
    }

    /// Makes the tokens of some guests below a sequence invalid, so that they read everything again.
    func putFloor(_ sequence: Int64, ofGuests users: [String], in zone: StoredZone) throws {
        guard !users.isEmpty else { return }
        try execute(
            """
            UPDATE shared_zone\(by: "shared_zone_guests") SET floor = \(sequence)
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND floor < \(sequence)
                AND owner_id IN (\(try databases(ofGuests: users, zone)))
            """)
        // One by one: for a list, a database without statistics would read all rows of the zone.
        for guestID in try all(try databases(ofGuests: users, zone), { $0.int(0) }) {
            try execute(
                """
                DELETE FROM visibility
                WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID) AND share = \(-guestID)
                """)
        }
    }

    /// Forgets the oldest entries that were gone before a time, and raises the floors of the guests in their zones.
    /// Returns the number of entries.
    func removeVisibility(goneBefore time: Int64, limit: Int) throws -> Int {
        let old = try all(
            """
            SELECT tenant_id, zone_id, share, name FROM visibility WHERE gone = 1 AND changed < \(time)
            ORDER BY changed LIMIT \(limit)
            """
        ) { (tenantID: $0.int(0), zoneID: $0.int(1), share: $0.int(2), name: $0.text(3)) }
        let zones = Dictionary(grouping: old) { [$0.tenantID, $0.zoneID] }
        for (key, entries) in zones.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let inZone: SQLText = "tenant_id = \(key[0]) AND zone_id = \(key[1])"
            // With the lock, none of these records can become visible again in the meantime.
            if hasOtherWriters { _ = try one("SELECT 1 FROM zone WHERE \(inZone)\(lock: .noKeyUpdate)") { _ in true } }
            var newest: Int64 = 0
            for (share, entries) in Dictionary(grouping: entries, by: \.share) {
                let names = entries.map(\.name)
                let isGone: SQLText = "\(inZone) AND share = \(share) AND gone = 1 AND changed < \(time)"
                let isMeant: SQLText = "\(isGone) AND name = wanted"
                let gone = try all(
                    """
                    SELECT sequence FROM \(texts: try list(names))\(lookUp: "visibility", where: isMeant)
                    """
                ) { $0.int(0) }
                try remove("name", names, from: "visibility", where: isGone)
                newest = max(newest, gone.max() ?? 0)
            }
            try execute(
                """
                UPDATE shared_zone\(by: "shared_zone_guests") SET floor = \(newest)
                WHERE \(inZone) AND floor < \(newest)
                """)
        }
        return old.count
    }

    /// Removes a piece of the entries of ended shares; false when nothing is left.
    func removeEndedShares(limit: Int) throws -> Bool {
        let ended = try one(
            "SELECT tenant_id, zone_id, number FROM ended_share LIMIT 1\(lock: .unclaimed)"
        ) { ($0.int(0), $0.int(1), $0.int(2)) }
        guard let ended else { return false }
        let ofShare: SQLText = "tenant_id = \(ended.0) AND zone_id = \(ended.1) AND share = \(ended.2)"
        let removed = try removePiece(
            of: "visibility",
            key: [.integer("tenant_id"), .integer("zone_id"), .integer("share"), .text("name")],
            where: "\(ofShare) ORDER BY name LIMIT \(limit)")
        if removed == 0 {
            try execute(
                """
                DELETE FROM ended_share WHERE tenant_id = \(ended.0) AND zone_id = \(ended.1) AND number = \(ended.2)
                """)
        }
        return true
    }
}
