import BackstitchSQL
import BackstitchSupport

/// The rows of assets and of their uses by records.
extension ZoneSnapshot {
    /// The content of an asset, if it was uploaded.
    func asset(tenantID: Int64, checksum: AssetChecksum) throws -> StoredAsset? {
        // In a transaction the asset is locked, so it stays until the record with it is written.
        try one(
            """
            SELECT size, uploaded FROM asset WHERE tenant_id = \(tenantID) AND checksum = \(checksum.bytes)\(assetLock)
            """
        ) { StoredAsset(tenantID: tenantID, checksum: checksum, size: $0.int(0), uploaded: $0.int(1)) }
    }

    /// The sizes of the assets that exist among these. The number of statements is small for any number of assets.
    func assetSizes(tenantID: Int64, of checksums: [AssetChecksum]) throws -> [AssetChecksum: Int64] {
        // In a transaction the assets are locked, so they stay until the records with them are written.
        var sizes: [AssetChecksum: Int64] = [:]
        for part in checksums.parts(of: Self.assetsOfLook) {
            guard let first = part.first else { continue }
            // Only two statements are prepared: for one asset and for many. A shorter list repeats its first asset.
            let missing = part.count == 1 ? 0 : Self.assetsOfLook - part.count
            let others = part.dropFirst() + Array(repeating: first, count: missing)
            let type = dialect.types.bytes
            let list = others.reduce(into: "SELECT CAST(\(first.bytes) AS \(names: type)) AS wanted" as SQLText) {
                $0 = "\($0) UNION ALL SELECT CAST(\($1.bytes) AS \(names: type))"
            }
            // One look-up for each. Otherwise a database without statistics would read all assets of the tenant.
            let isAsset: SQLText = "tenant_id = \(tenantID) AND checksum = wanted\(assetLock)"
            let found = try all("SELECT checksum, size FROM (\(list)) AS list\(lookUp: "asset", where: isAsset)") {
                (AssetChecksum(bytes: $0.bytes(0)), $0.int(1))
            }
            sizes.merge(found) { size, _ in size }
        }
        return sizes
    }

    /// The number of assets in one look-up.
    private static let assetsOfLook = 64
}

/// The writes of assets and of their uses.
extension ZoneTransaction {
    /// Adds the content of an asset, or renews its time of upload.
    func putAsset(_ asset: StoredAsset) throws {
        try execute(
            """
            INSERT INTO asset (tenant_id, checksum, size, uploaded, doubtful)
            VALUES (\(asset.tenantID), \(asset.checksum.bytes), \(asset.size), \(asset.uploaded), \(flag: true))
            ON CONFLICT (tenant_id, checksum) DO UPDATE SET uploaded = excluded.uploaded, doubtful = \(flag: true)
            """)
    }

    /// Replaces the uses of assets by some records.
    func setAssets(_ zone: StoredZone, of records: [String], _ uses: [StoredAssetUse]) throws {
        if !records.isEmpty {
            let inZone: SQLText = "tenant_id = \(zone.tenantID) AND zone_id = \(zone.zoneID)"
            let isOfRecord: SQLText = "\(inZone) AND record = wanted"
            try doubtAssets("\(texts: try list(records))\(lookUp: "asset_use", where: isOfRecord)")
            try remove("record", records, from: "asset_use", where: inZone)
        }
        guard !uses.isEmpty else { return }
        let builder = SQLBulkBuilder(dialect, [.text, .bytes, .bytes, .integer, .integer, .text])
        let statement = builder.insert(
            into: "asset_use", ["tenant_id", "zone_id", "record", "field", "checksum", "\"user\"", "size"],
            selecting: [
                "record.tenant_id", "record.zone_id", "record.name", builder.value(0), builder.value(1),
                "record.created_by",
                "(SELECT size FROM asset WHERE asset.tenant_id = record.tenant_id AND checksum = \(builder.value(2)))",
            ],
            from: "record",
            where: "record.tenant_id = \(builder.value(3)) AND record.zone_id = \(builder.value(4)) "
                + "AND record.name = \(builder.value(5))",
            " ON CONFLICT DO NOTHING")
        try runEach(statement, count: uses.count) { index, parameters in
            parameters.bind(uses[index].field, at: 1)
            parameters.bind(uses[index].checksum.bytes, at: 2)
            parameters.bind(uses[index].checksum.bytes, at: 3)
            parameters.bind(zone.tenantID, at: 4)
            parameters.bind(zone.zoneID, at: 5)
            parameters.bind(uses[index].record, at: 6)
        }
    }

    /// Marks assets as perhaps unused, because some of their uses are about to go.
    ///
    /// - Parameter uses: The text after `FROM` in a query for these uses.
    func doubtAssets(_ uses: SQLText) throws {
        let assets = try all("SELECT DISTINCT tenant_id, checksum FROM \(uses)") { ($0.int(0), $0.bytes(1)) }
        let builder = SQLBulkBuilder(dialect, [.integer, .bytes])
        let statement = builder.update(
            "asset", set: ["doubtful = \(dialect.literal(true))"],
            where: "tenant_id = \(builder.value(0)) AND checksum = \(builder.value(1))")
        try runEach(statement, count: assets.count) { index, parameters in
            parameters.bind(assets[index].0, at: 1)
            parameters.bind(assets[index].1, at: 2)
        }
    }

    /// Examines assets uploaded before `time`, and removes those that no record uses. Returns the removed assets.
    ///
    /// It examines only assets that were uploaded, or given up by a record, since it last found them used. `mayBeMore`
    /// says whether to call it again.
    func removeUnusedAssets(
        uploadedBefore time: Int64, limit: Int
    ) throws -> (gone: [StoredAsset], mayBeMore: Bool) {
        // Assets in use by other transactions are skipped until the next time.
        let looked = try all(
            """
            SELECT tenant_id, checksum, size, uploaded FROM asset WHERE doubtful AND uploaded < \(time)
            ORDER BY uploaded LIMIT \(limit)
            \(lock: .unclaimed)
            """
        ) { row in
            StoredAsset(
                tenantID: row.int(0), checksum: AssetChecksum(bytes: row.bytes(1)), size: row.int(2),
                uploaded: row.int(3))
        }
        // A statement of its own sees everything committed before the locks were taken.
        let gone = try looked.filter { asset in
            let isAsset: SQLText = "tenant_id = \(asset.tenantID) AND checksum = \(asset.checksum.bytes)"
            let isUsed = try one("SELECT 1 FROM asset_use WHERE \(isAsset) LIMIT 1") { _ in true } ?? false
            let change: SQLText = isUsed ? "UPDATE asset SET doubtful = \(flag: false)" : "DELETE FROM asset"
            try execute("\(change) WHERE \(isAsset)")
            return !isUsed
        }
        return (gone, looked.count == limit)
    }
}
