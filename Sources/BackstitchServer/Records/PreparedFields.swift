import BackstitchSupport
import CloudWire

/// The fields of one operation, after all checks that need no database.
struct PreparedFields: Sendable {
    /// An asset in a field of the operation.
    struct AssetUse: Sendable, Hashable {
        var field: String
        var checksum: AssetChecksum
        var size: Int64
        /// Whether the request proves the upload. If not, the record must already have the asset in this field.
        var hasReceipt: Bool
    }

    /// The values by name, with assets without receipts and addresses; nil for fields to be cleared.
    private(set) var values: [String: WireValue?] = [:]
    /// The assets of all fields. An asset occurs once in a field, unless the request gives it several sizes.
    private(set) var assets: [AssetUse] = []
    /// Whether one of the references has VALIDATE or DELETE_SELF.
    private(set) var hasActions = false
    /// The names of fields sent without a type. Their types are guesses.
    private(set) var inferred: Set<String> = []

    init() {}

    /// Checks the fields of a record to be saved in a zone.
    ///
    /// - Throws: BAD_REQUEST, naming the field.
    init(_ record: WireRecord, zone: ZonePlace, _ scope: RequestScope, _ receipts: AssetReceipts, at now: Int64)
        throws(WireError)
    {
        if let name = record.encryptedFields.min() {
            throw WireError(
                .badRequest,
                scope.database.scope == .public
                    ? "field '\(name)': the public database has no encrypted values"
                    : "field '\(name)': this server does not keep encrypted values; send it without isEncrypted")
        }
        inferred = record.inferredFields
        values = record.fields
        // The assets are counted before any check of them, because each receipt costs a hash.
        let count = record.fields.values.reduce(0) { $0 + ($1?.assets.count ?? 0) }
        if let fault = RecordRules.fault(inAssetCount: count, of: record.recordName) {
            throw WireError(.badRequest, fault)
        }
        var uses: Set<AssetUse> = []
        let isShare = RecordRules.isShare(record)
        for (name, value) in record.fields {
            if let fault = RecordRules.fault(inFieldName: name, ofShare: isShare) {
                throw WireError(.badRequest, fault)
            }
            switch value {
            case .reference, .referenceList:
                for reference in value?.references ?? [] {
                    try Self.check(reference, name, zone, scope)
                    if reference.action != .none { hasActions = true }
                }
            case .asset(let asset):
                values[name] = .asset(try Self.take(asset, name, scope, receipts, at: now, &uses))
            case .assetList(let list):
                var kept: [WireAsset] = []
                for asset in list { kept.append(try Self.take(asset, name, scope, receipts, at: now, &uses)) }
                values[name] = .assetList(kept)
            default: break
            }
        }
        if !uses.isEmpty { assets = Array(uses) }
    }

    /// Checks that a reference stays in its record's zone.
    private static func check(
        _ reference: WireReference, _ field: String, _ zone: ZonePlace, _ scope: RequestScope
    ) throws(WireError) {
        if let fault = RecordRules.fault(inRecordName: reference.recordName) {
            throw WireError(.badRequest, "field '\(field)': \(fault)")
        }
        guard let target = reference.zoneID else { return }
        guard try scope.place(of: target).isSame(as: zone) else {
            throw WireError(.badRequest, "field '\(field)': a reference must stay in its record's zone")
        }
    }

    /// Sets the true sizes of assets.
    mutating func correctAssetSizes(_ sizes: [AssetChecksum: Int64]) {
        func corrected(_ asset: WireAsset) -> WireAsset {
            guard let size = AssetChecksum(wire: asset.fileChecksum).flatMap({ sizes[$0] }) else { return asset }
            var asset = asset
            asset.size = size
            return asset
        }
        for field in Set(assets.lazy.map(\.field)) {
            switch values[field] ?? nil {
            case .asset(let asset): values[field] = .asset(corrected(asset))
            case .assetList(let list): values[field] = .assetList(list.map(corrected))
            default: break
            }
        }
        assets = assets.map { use in
            var use = use
            use.size = sizes[use.checksum] ?? use.size
            return use
        }
    }

    /// Checks an asset's receipt, and adds its use. Returns the asset as it is stored.
    ///
    /// - Throws: BAD_REQUEST for a receipt of another asset, field or user; TRY_AGAIN_LATER for an expired one.
    private static func take(
        _ asset: WireAsset, _ field: String, _ scope: RequestScope, _ receipts: AssetReceipts, at now: Int64,
        _ uses: inout Set<AssetUse>
    ) throws(WireError) -> WireAsset {
        guard let checksum = AssetChecksum(wire: asset.fileChecksum) else {
            throw WireError(.badRequest, "field '\(field)': fileChecksum was not issued by this server")
        }
        if let receipt = asset.receipt {
            let end = receipts.end(
                of: receipt, checksum: checksum, size: asset.size, tenant: scope.database.tenant, user: scope.user,
                field: field)
            guard let end else {
                throw WireError(.badRequest, "field '\(field)': the receipt is not for this asset, field and user")
            }
            // Not the fault of the record: with another receipt it can be saved.
            guard now < end else {
                throw WireError(.tryAgainLater, "field '\(field)': the receipt has expired; upload the asset again")
            }
        }
        uses.insert(AssetUse(field: field, checksum: checksum, size: asset.size, hasReceipt: asset.receipt != nil))
        var kept = asset
        kept.receipt = nil
        kept.downloadURL = nil
        return kept
    }
}
