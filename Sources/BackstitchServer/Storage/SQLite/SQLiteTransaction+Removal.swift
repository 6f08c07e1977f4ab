import GRDB

extension SQLiteTransaction {
    /// Removes rows that a condition names, up to the size of a piece; gives how many.
    ///
    /// - Parameter content: The column that makes a row large.
    func remove(
        _ piece: RemovalPiece, of table: String, content: String, _ condition: String, _ arguments: StatementArguments
    ) throws -> Int {
        let statement = try db.cachedStatement(
            sql: "SELECT rowid, length(\(content)) FROM \(table) WHERE \(condition) LIMIT \(piece.rows)")
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        var found: [Int64] = []
        var bytes = 0
        while bytes < piece.bytes, let row = try rows.next() {
            found.append(row[0])
            bytes += row[1] as Int? ?? 0
        }
        guard !found.isEmpty else { return 0 }
        let list = "[\(found.map(String.init).joined(separator: ","))]"
        try execute("DELETE FROM \(table) WHERE rowid IN (SELECT value FROM json_each(?))", [list])
        return found.count
    }

    func emptied(_ zone: StoredZone) throws -> StoredZone {
        // The content stays with the old row, which nobody finds any more; the zone goes on in a row of its own.
        try execute(
            "UPDATE zone SET name = ?, state = \(Self.emptying), owner_sequence = 0 WHERE tenant_id = ? AND zone_id = ?",
            ["\u{1}\(zone.zoneID)", zone.tenantID, zone.zoneID])
        try execute(
            "DELETE FROM subscription WHERE tenant_id = ? AND owner_id = ? AND zone = ?",
            [zone.tenantID, zone.ownerID, zone.name])
        var next = zone
        next.zoneID = try makeZone(
            StoredOwner(tenantID: zone.tenantID, ownerID: zone.ownerID, head: 0, epoch: 0), named: zone.name,
            epoch: zone.epoch
        ).zoneID
        try execute(
            "UPDATE zone SET head = ?, floor = ? WHERE tenant_id = ? AND zone_id = ?",
            [zone.head, zone.floor, next.tenantID, next.zoneID])
        return next
    }

    /// The state of a row that only keeps what is still to be removed. No ``StoredZone`` has it.
    private static let emptying = 3

    func emptyDeletedZones(_ piece: RemovalPiece) throws -> Bool {
        let key = try one("SELECT tenant_id, zone_id FROM zone WHERE state = \(Self.emptying) LIMIT 1", []) {
            [$0[0] as Int64, $0[1] as Int64]
        }
        guard let key else { return false }
        let inZone = "tenant_id = ? AND zone_id = ?"
        let arguments = StatementArguments(key)
        if try remove(piece, of: "record", content: "fields", inZone, arguments) > 0 { return true }
        for (table, columns) in [("reference", "target, source, action"), ("asset_use", "record, field, checksum")] {
            let part = "SELECT \(columns) FROM \(table) WHERE \(inZone) ORDER BY \(columns) LIMIT \(piece.rows)"
            if table == "asset_use" {
                try doubtAssets("\(inZone) AND (\(columns)) IN (\(part))", arguments + arguments)
            }
            try execute("DELETE FROM \(table) WHERE \(inZone) AND (\(columns)) IN (\(part))", arguments + arguments)
            if db.changesCount > 0 { return true }
        }
        try execute("DELETE FROM zone WHERE \(inZone)", arguments)
        return true
    }
}
