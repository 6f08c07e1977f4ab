import BackstitchSQL
import CloudWire

/// Removing zones and tombstones, piece by piece.
extension ZoneTransaction {
    /// Removes the rows of a condition, up to the size of a piece. Returns their number.
    ///
    /// - Parameters:
    ///   - key: The columns of the table's primary key.
    ///   - content: The column that makes a row large.
    ///   - condition: The condition, ending with the order of the removal.
    func remove(
        _ piece: RemovalPiece, of table: String, key: [KeyColumn], content: String, _ condition: SQLText
    ) throws -> Int {
        var count = 0, bytes = 0
        let query: SQLText = """
            SELECT length(\(names: content)) FROM \(names: table) WHERE \(condition) LIMIT \(piece.rows)
            """
        try forEachRow(of: query, inPortionsOf: piece.rows) { row in
            count += 1
            bytes += Int(row.int(0))
            return bytes < piece.bytes
        }
        guard count > 0 else { return 0 }
        return try removePiece(of: table, key: key, where: "\(condition) LIMIT \(count)")
    }

    /// Empties a zone. Returns the zone as it continues, under another id.
    ///
    /// The time does not depend on the number of records: they are removed later, by `emptyDeletedZones`.
    func emptied(_ zone: StoredZone) throws -> StoredZone {
        // The content stays with the old row under a hidden name. The zone continues in a row of its own.
        try execute(
            """
            UPDATE zone SET name = \("\u{1}\(zone.zoneID)"), state = \(names: Self.emptying), owner_sequence = 0
            WHERE tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)
            """)
        try execute(
            """
            DELETE FROM subscription
            WHERE tenant_id = \(zone.tenantID) AND owner_id = \(zone.ownerID) AND zone = \(zone.name)
            """)
        var next = zone
        next.zoneID = try makeZone(
            StoredOwner(tenantID: zone.tenantID, ownerID: zone.ownerID, head: 0, epoch: 0), named: zone.name,
            epoch: zone.epoch
        ).zoneID
        try execute(
            """
            UPDATE zone SET head = \(zone.head), floor = \(zone.floor)
            WHERE tenant_id = \(next.tenantID) AND zone_id = \(next.zoneID)
            """)
        return next
    }

    /// The state of a row that only keeps content for removal. It is not a case of ``StoredZone/State``.
    private static let emptying = "3"

    /// Removes a piece of the content of emptied zones; false when nothing is left.
    func emptyDeletedZones(_ piece: RemovalPiece) throws -> Bool {
        // If another server is emptying a row, the row is skipped.
        let key = try one(
            """
            SELECT tenant_id, zone_id FROM zone WHERE state = \(names: Self.emptying) LIMIT 1\(lock: .unclaimed)
            """
        ) { ($0.int(0), $0.int(1)) }
        guard let key else { return false }
        let inZone: SQLText = "tenant_id = \(key.0) AND zone_id = \(key.1)"
        let removed = try remove(
            piece, of: "record", key: [.integer("tenant_id"), .integer("zone_id"), .text("name")], content: "fields",
            "\(inZone)\(names: ZoneSchema.isInFeed(dialect)) ORDER BY sequence")
        if removed > 0 { return true }
        let tables = [
            ("reference", "target, source, action"), ("asset_use", "record, field, checksum"),
            ("query_entry", "number, key, record"), ("query_index", "number"), ("visibility", "share, name"),
            ("ended_share", "number"), ("participant", "share, id"), ("share", "record"),
        ]
        for (table, columns) in tables {
            let part: SQLText = """
                \(inZone) AND (\(names: columns)) IN (
                    SELECT \(names: columns) FROM \(names: table) WHERE \(inZone) ORDER BY \(names: columns)
                    LIMIT \(piece.rows))
                """
            if table == "asset_use" { try doubtAssets("asset_use WHERE \(part)") }
            if try execute("DELETE FROM \(names: table) WHERE \(part)") > 0 { return true }
        }
        try execute("DELETE FROM zone WHERE \(inZone)")
        return true
    }

    /// Forgets the oldest records deleted before `time`, and returns their number.
    ///
    /// It raises the floors of their zones: a token that may have missed a deletion is then refused.
    func removeTombstones(deletedBefore time: Int64, limit: Int) throws -> Int {
        let old = try all(
            """
            SELECT tenant_id, zone_id, name FROM record WHERE deleted = 1 AND modified < \(time)
            ORDER BY modified LIMIT \(limit)
            """
        ) { Tombstone(zone: ZoneNumber(tenantID: $0.int(0), zoneID: $0.int(1)), name: $0.text(2)) }
        for (zone, records) in Dictionary(grouping: old, by: \.zone).sorted(by: { $0.key < $1.key }) {
            try remove(records.map(\.name), from: zone)
        }
        return old.count
    }

    /// Removes tombstones of a zone, and raises its floor to the newest of them.
    private func remove(_ tombstones: [String], from zone: ZoneNumber) throws {
        let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
        // With the lock, no other writer can make one of them a live record in the meantime.
        if hasOtherWriters { _ = try one("SELECT 1 FROM zone WHERE \(inZone)\(lock: .noKeyUpdate)") { _ in true } }
        let isMeant: SQLText = "\(inZone) AND name = wanted AND deleted = 1"
        let found: SQLText = "SELECT sequence FROM \(texts: try list(tombstones))\(lookUp: "record", where: isMeant)"
        let newest = try all(found) { $0.int(0) }.max()
        guard let newest else { return }
        try remove("name", tombstones, from: "record", where: "\(inZone) AND deleted = 1")
        try execute("UPDATE zone SET floor = \(newest) WHERE \(inZone) AND floor < \(newest)")
    }
}

/// The key of a zone in the tables.
private struct ZoneNumber: Hashable, Comparable {
    var tenantID: Int64
    var zoneID: Int64

    static func < (left: ZoneNumber, right: ZoneNumber) -> Bool {
        (left.tenantID, left.zoneID) < (right.tenantID, right.zoneID)
    }
}

/// The tombstone of a deleted record.
private struct Tombstone {
    var zone: ZoneNumber
    var name: String
}
