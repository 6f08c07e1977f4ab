import BackstitchSQL
import BackstitchSupport
import CloudWire

extension ZoneTransaction {
    /// Corrects wrong sizes of assets in records.
    ///
    /// Earlier versions stored the size that a client gave for an asset it sent again.
    func correctAssetSizes() throws {
        let keys = try all(
            "SELECT tenant_id, zone_id, name FROM record WHERE (flags & \(StoredRecord.Flags.assets.rawValue)) <> 0"
        ) { row in (tenantID: row.int(0), zoneID: row.int(1), name: row.text(2)) }
        for key in keys {
            let isRecord: SQLText =
                "tenant_id = \(key.tenantID) AND zone_id = \(key.zoneID) AND name = \(key.name)"
            guard let fields = try one("SELECT fields FROM record WHERE \(isRecord)", { $0.bytes(0) }) else { continue }
            let values = try WireRecord.Fields(json: fields).values
            let corrected = try values.mapValues { try $0.map { try correct($0, tenantID: key.tenantID) } }
            guard corrected != values else { continue }
            let bytes = try WireRecord.encodeFields(corrected, of: key.name)
            try execute("UPDATE record SET fields = \(bytes) WHERE \(isRecord)")
        }
    }

    /// The value with the stored sizes of its assets. An asset without a row keeps its size.
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
