import BackstitchSupport
import CloudWire
import Foundation
import GRDB

extension SQLiteTransaction {
    /// Puts the sizes of the assets into records that say others: earlier versions took what a client said of an asset
    /// that it sent again.
    func correctAssetSizes() throws {
        let rows = try all("SELECT rowid FROM record WHERE flags & ?", [StoredRecord.Flags.assets.rawValue]) { row in
            row[0] as Int64
        }
        for rowid in rows {
            let record = try one("SELECT tenant_id, name, fields FROM record WHERE rowid = ?", [rowid]) { row in
                (tenantID: row[0] as Int64, name: row[1] as String, fields: row[2] as Data)
            }
            guard let record else { continue }
            let values = try WireRecord.Fields(json: Array(record.fields)).values
            let corrected = try values.mapValues { try $0.map { try correct($0, tenantID: record.tenantID) } }
            guard corrected != values else { continue }
            try execute(
                "UPDATE record SET fields = ? WHERE rowid = ?",
                [Data(try WireRecord.encodeFields(corrected, of: record.name)), rowid])
        }
    }

    private func correct(_ value: WireValue, tenantID: Int64) throws -> WireValue {
        func correct(_ asset: WireAsset) throws -> WireAsset {
            var asset = asset
            if let checksum = AssetChecksum(wire: asset.fileChecksum),
                let stored = try self.asset(tenantID: tenantID, checksum: checksum)
            {
                asset.size = stored.size
            }
            return asset
        }
        switch value {
        case .asset(let asset): return .asset(try correct(asset))
        case .assetList(let assets): return .assetList(try assets.map(correct))
        default: return value
        }
    }
}
