import BackstitchSupport
import Foundation
import GRDB

extension SQLiteTransaction {
    func asset(tenantID: Int64, checksum: AssetChecksum) throws -> StoredAsset? {
        try one(
            "SELECT size, uploaded FROM asset WHERE tenant_id = ? AND checksum = ?", [tenantID, checksum.data]
        ) { StoredAsset(tenantID: tenantID, checksum: checksum, size: $0[0], uploaded: $0[1]) }
    }

    func putAsset(_ asset: StoredAsset) throws {
        try execute(
            """
            INSERT INTO asset (tenant_id, checksum, size, uploaded, doubtful) VALUES (?, ?, ?, ?, 1)
            ON CONFLICT (tenant_id, checksum) DO UPDATE SET uploaded = excluded.uploaded, doubtful = 1
            """, [asset.tenantID, asset.checksum.data, asset.size, asset.uploaded])
    }

    func setAssets(_ zone: StoredZone, of record: String, _ uses: [(field: String, checksum: AssetChecksum)]) throws {
        let key: StatementArguments = [zone.tenantID, zone.zoneID, record]
        try doubtAssets("tenant_id = ? AND zone_id = ? AND record = ?", key)
        try execute("DELETE FROM asset_use WHERE tenant_id = ? AND zone_id = ? AND record = ?", key)
        for use in uses {
            try execute(
                """
                INSERT INTO asset_use (tenant_id, zone_id, record, field, checksum, user, size)
                SELECT ?1, ?2, ?3, ?4, ?5, record.created_by, asset.size FROM record, asset
                WHERE record.tenant_id = ?1 AND record.zone_id = ?2 AND record.name = ?3
                    AND asset.tenant_id = ?1 AND asset.checksum = ?5
                ON CONFLICT DO NOTHING
                """, [zone.tenantID, zone.zoneID, record, use.field, use.checksum.data])
        }
    }

    /// Marks the assets of some uses, which are about to go, as perhaps unused.
    func doubtAssets(_ condition: String, _ arguments: StatementArguments) throws {
        try execute(
            """
            UPDATE asset SET doubtful = 1 WHERE (tenant_id, checksum) IN (
                SELECT tenant_id, checksum FROM asset_use WHERE \(condition))
            """, arguments)
    }

    func removeUnusedAssets(
        uploadedBefore time: Int64, limit: Int
    ) throws -> (gone: [StoredAsset], mayBeMore: Bool) {
        let looked = try all(
            """
            SELECT tenant_id, checksum, size, uploaded, EXISTS (SELECT 1 FROM asset_use
                WHERE asset_use.tenant_id = asset.tenant_id AND asset_use.checksum = asset.checksum)
            FROM asset WHERE doubtful AND uploaded < ? LIMIT ?
            """, [time, limit]
        ) { row in
            (
                asset: StoredAsset(
                    tenantID: row[0], checksum: AssetChecksum(bytes: Array(row[1] as Data)), size: row[2],
                    uploaded: row[3]),
                isUsed: row[4] as Bool
            )
        }
        for (asset, isUsed) in looked {
            let change = isUsed ? "UPDATE asset SET doubtful = 0" : "DELETE FROM asset"
            try execute("\(change) WHERE tenant_id = ? AND checksum = ?", [asset.tenantID, asset.checksum.data])
        }
        return (looked.filter { !$0.isUsed }.map(\.asset), looked.count == limit)
    }
}
