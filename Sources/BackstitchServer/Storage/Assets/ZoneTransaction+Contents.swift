import BackstitchSQL
import BackstitchSupport

/// Keeps servers that share a storage from removing content during its upload to another one; see ``AssetTurns``.
extension ZoneSnapshot {
    /// The number of times that any server removed content of the tenant; nil while this content is being removed.
    func removals(of name: AssetName) throws -> Int64? {
        guard hasOtherWriters else { return 0 }
        return try one(
            """
            SELECT removals FROM tenant WHERE tenant_id = \(name.tenantID) AND NOT EXISTS (
                SELECT 1 FROM asset_removal
                WHERE tenant_id = \(name.tenantID) AND checksum = \(name.checksum.bytes))
            """
        ) { $0.int(0) }
    }

    /// At most `limit` names of content whose removal has not ended: this server's removals, and those abandoned by
    /// another.
    func unendedRemovals(for turn: RemovalTurn, limit: Int) throws -> [AssetName] {
        guard hasOtherWriters else { return [] }
        return try all(
            """
            SELECT tenant_id, checksum FROM asset_removal
            WHERE server = \(turn.server) OR begun < \(turn.forgotten) LIMIT \(limit)
            """
        ) { AssetName(tenantID: $0.int(0), checksum: AssetChecksum(bytes: $0.bytes(1))) }
    }
}

/// The turns of uploads and removals.
extension ZoneTransaction {
    /// Adds the content of an asset, or renews its time of upload; false if content of the tenant was removed since
    /// `removals` was read.
    func putAsset(_ asset: StoredAsset, after removals: Int64) throws -> Bool {
        if hasOtherWriters {
            // With this lock, the next removal is counted only after this transaction.
            let now = try one("SELECT removals FROM tenant WHERE tenant_id = \(asset.tenantID)\(lock: .share)") {
                $0.int(0)
            }
            guard now == removals else { return false }
        }
        try putAsset(asset)
        return true
    }

    /// Begins to remove content. Returns the names without a row that no other server is removing.
    func beginRemoval(of names: [AssetName], by turn: RemovalTurn) throws -> [AssetName] {
        guard hasOtherWriters else { return names }
        for tenantID in Set(names.map(\.tenantID)).sorted() {
            try execute("UPDATE tenant SET removals = removals + 1 WHERE tenant_id = \(tenantID)")
        }
        // The count has waited for concurrent uploads. Only a statement of its own sees their rows.
        return try names.filter { name in
            try execute(
                """
                INSERT INTO asset_removal (tenant_id, checksum, server, begun)
                SELECT \(name.tenantID), \(name.checksum.bytes), \(turn.server), \(turn.begun) WHERE NOT EXISTS (
                    SELECT 1 FROM asset WHERE tenant_id = \(name.tenantID) AND checksum = \(name.checksum.bytes))
                ON CONFLICT (tenant_id, checksum) DO UPDATE SET server = excluded.server, begun = excluded.begun
                    WHERE asset_removal.server = excluded.server OR asset_removal.begun < \(turn.forgotten)
                """) > 0
        }
    }

    /// Ends the removal of content. From then on it can be uploaded again.
    func endRemoval(of names: [AssetName], by turn: RemovalTurn) throws {
        guard hasOtherWriters else { return }
        for name in names {
            try execute(
                """
                DELETE FROM asset_removal WHERE tenant_id = \(name.tenantID) AND checksum = \(name.checksum.bytes)
                    AND server = \(turn.server) AND begun = \(turn.begun)
                """)
        }
    }
}
