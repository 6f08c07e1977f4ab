import BackstitchSupport
import CloudWire

extension ZonePlan {
    /// Checks the assets of operations. Each must have been uploaded by this user for this field, or be in this field
    /// already.
    ///
    /// Their sizes are set to the stored ones, and those in the request are ignored. The sizes of all assets are looked
    /// up together, and each stored record is decoded once.
    mutating func checkAssets(
        _ stored: [StoredRecord?], _ view: GuestView?, _ reading: ZoneSnapshot
    ) throws {
        let bringing = changes.indices.filter { changes[$0] != nil && !operations[$0].fields.assets.isEmpty }
        guard !bringing.isEmpty else { return }
        let checksums = Set(bringing.flatMap { operations[$0].fields.assets.map(\.checksum) })
        let sizes = try reading.assetSizes(tenantID: zone.tenantID, of: Array(checksums))
        for index in bringing {
            do {
                if try checkAssets(index, stored[index], sizes) {
                    changes[index] = try change(operations[index], stored[index], view?[index])
                }
            } catch let refusal as Refusal {
                changes[index] = nil
                faults[index] = (refusal.error, nil)
            }
        }
    }

    /// Checks the assets of one operation.
    ///
    /// - Returns: Whether the operation was corrected.
    /// - Throws: ``Refusal`` for an asset that the record may not have.
    private mutating func checkAssets(
        _ index: Int, _ stored: StoredRecord?, _ sizes: [AssetChecksum: Int64]
    ) throws -> Bool {
        let uses = operations[index].fields.assets
        let held = uses.allSatisfy(\.hasReceipt) ? [:] : try assets(of: stored, in: Set(uses.lazy.map(\.field)))
        var isCorrected = false
        for use in uses {
            if !use.hasReceipt, held[use.field]?.contains(use.checksum) != true {
                throw Refusal(.badRequest, "field '\(use.field)': an asset needs the receipt of its upload")
            }
            guard let size = sizes[use.checksum] else {
                // Not the fault of the record: after a new upload it can be saved.
                throw Refusal(.tryAgainLater, "field '\(use.field)': the upload has expired; upload the asset again")
            }
            if size == use.size { continue }
            if use.hasReceipt { throw Refusal(.badRequest, "field '\(use.field)': the upload had \(size) bytes") }
            isCorrected = true
        }
        if isCorrected { operations[index].correctAssetSizes(sizes) }
        return isCorrected
    }

    /// The assets that a record already has in some fields.
    private func assets(
        of stored: StoredRecord?, in fields: Set<String>
    ) throws -> [String: Set<AssetChecksum>] {
        guard let stored, !stored.deleted else { return [:] }
        let values = try WireRecord.Fields(json: stored.fields).values
        var assets: [String: Set<AssetChecksum>] = [:]
        for field in fields {
            let value = values[field] ?? nil
            assets[field] = value.map { Set($0.assets.lazy.compactMap { AssetChecksum(wire: $0.fileChecksum) }) }
        }
        return assets
    }
}
