import BackstitchSupport
import CloudWire

extension ZonePlan {
    /// Assets must have been uploaded by this user for this field, or be in this field already. Their size is that of
    /// what is stored, whatever the request says.
    ///
    /// - Returns: Whether the operation was corrected.
    /// - Throws: ``Refusal`` for an asset that the record may not have.
    mutating func checkAssets(
        _ index: Int, _ stored: StoredRecord?, _ reading: any ZoneReading
    ) throws -> Bool {
        var isCorrected = false
        for use in operations[index].fields.assets {
            if !use.hasReceipt, try !isHeld(use, by: stored) {
                throw Refusal(.badRequest, "field '\(use.field)': an asset needs the receipt of its upload")
            }
            guard let size = try reading.asset(tenantID: zone.tenantID, checksum: use.checksum)?.size else {
                // Not the fault of the record: it can be saved when its bytes have come again.
                throw Refusal(.tryAgainLater, "field '\(use.field)': the upload has expired; upload the asset again")
            }
            if size == use.size { continue }
            if use.hasReceipt { throw Refusal(.badRequest, "field '\(use.field)': the upload had \(size) bytes") }
            operations[index].correctSize(of: use, to: size)
            isCorrected = true
        }
        return isCorrected
    }

    private func isHeld(_ use: PreparedFields.AssetUse, by stored: StoredRecord?) throws -> Bool {
        guard let stored, !stored.deleted else { return false }
        let value = try WireRecord.Fields(json: stored.fields).values[use.field] ?? nil
        return value?.assets.contains { $0.fileChecksum == use.checksum.wire } ?? false
    }
}
