import BackstitchSupport
import CloudWire

/// Turns stored records into records of the wire.
struct RecordRenderer: Sendable {
    /// The caller's share in the knowledge of moves out of the zone.
    enum ToldMoves: Sendable {
        case nothing
        /// That an object has moved, and not where.
        case withoutZone
        case withZone
    }

    let zoneID: ZoneID
    /// The shares of the zone, for their own records and their roots.
    var shares: [ShownShare] = []
    /// The names of the fields to include; nil for all.
    var desiredKeys: Set<String>?
    let numbersAsStrings: Bool
    /// The part of a move that its tombstone tells.
    var tellsMoves = ToldMoves.nothing
    /// Returns the download address of an asset's content.
    let downloadURL: @Sendable (AssetChecksum) -> String

    /// The record for answers of `records/modify`, `records/lookup` and the feeds.
    ///
    /// - Throws: ``WireCodingError`` if the stored fields cannot be read.
    func record(_ stored: StoredRecord) throws(WireCodingError) -> WireRecord {
        if stored.deleted {
            var record = WireRecord(recordName: stored.name, recordChangeTag: stored.changeTag, deleted: true)
            if let zone = stored.movedTo, tellsMoves != .nothing {
                record.movedTo = tellsMoves == .withZone ? zone : ""
            }
            return record
        }
        var record = WireRecord(
            recordName: stored.name, recordType: stored.type, recordChangeTag: stored.changeTag,
            created: WireStamp(
                timestamp: stored.created, userRecordName: stored.createdBy, deviceID: stored.createdOn),
            modified: WireStamp(
                timestamp: stored.modified, userRecordName: stored.modifiedBy, deviceID: WireStamp.unnamedDevice),
            zoneID: zoneID, parent: stored.parent.map { WireReference(recordName: $0) })
        if !shares.isEmpty {
            record.share =
                shares.first { $0.isOf(stored) }?.wire ?? shares.first { $0.isFor(stored) }?.reference(in: zoneID)
        }
        if desiredKeys?.isEmpty == true { return record }
        if desiredKeys == nil, !numbersAsStrings, !stored.flags.contains(.assets) {
            record.encodedFields = stored.fields
        } else {
            record.fields = try decodedFields(stored)
        }
        return record
    }

    /// The desired fields, with download addresses in their assets.
    private func decodedFields(_ stored: StoredRecord) throws(WireCodingError) -> [String: WireValue?] {
        var fields = try WireRecord.Fields(json: stored.fields).values
        if let desiredKeys {
            fields = fields.filter { desiredKeys.contains($0.key) }
        }
        return fields.mapValues { value in value.map(withAddresses) }
    }

    /// The value with download addresses in its assets.
    private func withAddresses(_ value: WireValue) -> WireValue {
        switch value {
        case .asset(let asset): .asset(withAddress(asset))
        case .assetList(let assets): .assetList(assets.map(withAddress))
        default: value
        }
    }

    /// The asset with the address of its content.
    private func withAddress(_ asset: WireAsset) -> WireAsset {
        var asset = asset
        asset.downloadURL = AssetChecksum(wire: asset.fileChecksum).map(downloadURL)
        return asset
    }

    /// The element of an answer for one operation.
    ///
    /// - Parameter extensions: Whether a conflict includes the server's record.
    func result(_ outcome: RecordOutcome, extensions: Bool) throws(WireCodingError) -> RecordResult {
        switch outcome {
        case .saved(let stored): return .record(try record(stored))
        case .deleted(let name): return .record(WireRecord(recordName: name, deleted: true))
        case .failed(let name, let error, let server):
            var failure = RecordError(recordName: name, error: error)
            if extensions, let server {
                // A client needs all fields for merging, even if the request asks for fewer.
                var whole = self
                whole.desiredKeys = nil
                failure.serverRecord = try whole.record(server)
                failure.serverRecordDeleted = server.deleted
            }
            return .error(failure)
        }
    }
}
