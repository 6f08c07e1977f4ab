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
            INSERT INTO asset (tenant_id, checksum, size, uploaded) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant_id, checksum) DO UPDATE SET uploaded = excluded.uploaded
            """, [asset.tenantID, asset.checksum.data, asset.size, asset.uploaded])
    }

    func setAssets(_ zone: StoredZone, of record: String, _ uses: [(field: String, checksum: AssetChecksum)]) throws {
        try execute(
            "DELETE FROM asset_use WHERE tenant_id = ? AND zone_id = ? AND record = ?",
            [zone.tenantID, zone.zoneID, record])
        for use in uses {
            try execute(
                """
                INSERT INTO asset_use (tenant_id, zone_id, record, field, checksum) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """, [zone.tenantID, zone.zoneID, record, use.field, use.checksum.data])
        }
    }

    func removeUnusedAssets(uploadedBefore time: Int64, limit: Int) throws -> [StoredAsset] {
        try all(
            """
            DELETE FROM asset WHERE (tenant_id, checksum) IN (
                SELECT tenant_id, checksum FROM asset WHERE uploaded < ? AND NOT EXISTS (
                    SELECT 1 FROM asset_use
                    WHERE asset_use.tenant_id = asset.tenant_id AND asset_use.checksum = asset.checksum)
                LIMIT ?)
            RETURNING tenant_id, checksum, size, uploaded
            """, [time, limit]
        ) { row in
            StoredAsset(
                tenantID: row[0], checksum: AssetChecksum(bytes: Array(row[1] as Data)), size: row[2], uploaded: row[3])
        }
    }
}
