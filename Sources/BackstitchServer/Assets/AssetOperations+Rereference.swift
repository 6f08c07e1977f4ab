import Backstitch
import BackstitchSupport
import CloudWire

extension AssetOperations {
    /// Answers `assets/rereference`: receipts for files of existing records.
    ///
    /// With them, other records of the user can take the same files, in any database of the container's environment. A
    /// file that the caller may not read, or has no room for, has an error in its place.
    ///
    /// The content counts as uploaded now. It is kept as long as an upload without a record, even if its present record
    /// is deleted.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if all the records together are larger than an answer may be.
    func rereference(
        _ request: AssetRereferenceRequest, _ scope: RequestScope
    ) async throws -> AssetRereferenceResponse {
        try scope.checkCount(request.assets.count + request.malformed.count, of: "assets")
        let place = try scope.place(of: request.zoneID)
        let now = server.clock.milliseconds(), retention = Int64(server.configuration.uploadRetention) * 1000
        let end = receiptEnd
        let waiting = server.ledger.uploadedBytes(of: scope.user, at: server.clock.uptime())
        let results: [AssetRereferenceResponse.Asset] = try await server.change(scope) { writing in
            let owner = try writing.owner(scope.database)
            let zone = try scope.zone(at: place, owner, writing)
            if zone == nil, !place.isDefault { throw RequestScope.zoneNotFound(place.name) }
            let names = request.assets.map(\.recordName)
            let records = try zone.map { try writing.records($0, named: names, limit: scope.limits.answer) }
            var left = server.configuration.userQuotas.bytes - waiting
            if let owner { left -= try writing.usage(tenantID: owner.tenantID, user: scope.user).bytes }
            var known = KnownAssets()
            return try request.assets.enumerated().map { index, source in
                do throws(WireError) {
                    guard let zone, let record = records.flatMap({ $0[index] }) else {
                        throw WireError(.notFound, "Record not found")
                    }
                    let asset = try self.asset(of: source, in: record, scope, &known)
                    let content = try WireError.storage {
                        try renew(asset, zone.tenantID, at: now, &left, &known, writing)
                    }
                    return .asset(withReceipt(asset, content, until: end, scope))
                } catch {
                    return .error(
                        recordName: source.recordName, fieldName: source.fieldName, try error.ofItem())
                }
            }
        }
        for case .asset(let asset) in results {
            server.ledger.noteUpload(
                Int(clamping: asset.size), of: scope.user, for: retention, at: server.clock.uptime())
        }
        return AssetRereferenceResponse(
            assets: request.malformed.woven(into: results) {
                .error(recordName: $0.name ?? "", fieldName: "", $0.error)
            })
    }

    /// The values found for a request. A record or file named a thousand times is read once.
    private struct KnownAssets {
        /// The files of a record, by field.
        var ofRecords: [ByteText: [ByteText: FieldAssets]] = [:]
        /// The content that already counts as uploaded now.
        var contents: [ByteText: StoredAsset] = [:]
    }

    /// The files of one field.
    private struct FieldAssets {
        let count: Int
        /// The first file with each checksum.
        private(set) var byChecksum: [ByteText: WireAsset] = [:]

        init(_ assets: [WireAsset]) {
            count = assets.count
            for asset in assets {
                let checksum = ByteText(asset.fileChecksum)
                if byChecksum[checksum] == nil { byChecksum[checksum] = asset }
            }
        }
    }

    /// The file in a field of a record.
    ///
    /// - Throws: NOT_FOUND if the field has no such file; BAD_REQUEST if it has several and the request names none.
    private func asset(
        of source: AssetRereferenceRequest.Source, in record: StoredRecord, _ scope: RequestScope,
        _ known: inout KnownAssets
    ) throws(WireError) -> WireAsset {
        guard !record.deleted else { throw WireError(.notFound, "Record not found") }
        try scope.require(.read, type: record.type, creator: record.createdBy)
        let assets = try assets(of: record, &known)
        let field = source.fieldName
        let found = assets[ByteText(field)]
        guard let asset = source.fileChecksum.map({ found?.byChecksum[ByteText($0)] }) ?? found?.byChecksum.values.first
        else {
            throw WireError(.notFound, "field '\(field.shown())' of record '\(record.name)' has no such asset")
        }
        guard source.fileChecksum != nil || found?.byChecksum.count == 1 else {
            throw WireError(
                .badRequest,
                "field '\(field.shown())' has \(found?.count ?? 0) assets; name one by its fileChecksum")
        }
        return asset
    }

    /// The files of a record, by field.
    private func assets(
        of record: StoredRecord, _ known: inout KnownAssets
    ) throws(WireError) -> [ByteText: FieldAssets] {
        let name = ByteText(record.name)
        if let assets = known.ofRecords[name] { return assets }
        let values = try WireError.storage { try WireRecord.Fields(json: record.fields).values }
        var assets: [ByteText: FieldAssets] = [:]
        for case let (name, value?) in values where !value.assets.isEmpty {
            assets[ByteText(name)] = FieldAssets(value.assets)
        }
        known.ofRecords[name] = assets
        return assets
    }

    /// Makes the content of a file count as uploaded now.
    ///
    /// - Parameter left: The bytes left of the user's quota.
    private func renew(
        _ asset: WireAsset, _ tenantID: Int64, at now: Int64, _ left: inout Int, _ known: inout KnownAssets,
        _ writing: ZoneTransaction
    ) throws -> StoredAsset {
        let renewed = known.contents[ByteText(asset.fileChecksum)]
        // The row cannot be removed before this transaction ends, because a record uses it.
        guard let checksum = AssetChecksum(wire: asset.fileChecksum),
            var content = try renewed ?? writing.asset(tenantID: tenantID, checksum: checksum)
        else { throw WireError(.notFound, "the asset is gone") }
        guard content.size <= Int64(clamping: left) else {
            throw server.configuration.userQuotas.exceeded("bytes", server.configuration.userQuotas.bytes)
        }
        left -= Int(content.size)
        if renewed != nil { return content }
        content.uploaded = now
        try writing.putAsset(content)
        known.contents[ByteText(asset.fileChecksum)] = content
        return content
    }

    /// The file with a receipt for other records.
    private func withReceipt(_ asset: WireAsset, _ content: StoredAsset, until end: Int64, _ scope: RequestScope)
        -> WireAsset
    {
        var result = asset
        result.downloadURL = nil
        result.size = content.size
        result.receipt = server.receipts.receipt(
            checksum: content.checksum, size: content.size, tenant: scope.database.tenant, user: scope.user,
            field: AssetReceipts.anyField, expires: end)
        return result
    }
}
