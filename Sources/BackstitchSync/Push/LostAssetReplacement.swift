import Backstitch

/// Replaces assets that were left out by the server's values. Values that were changed meanwhile stay.
struct LostAssetReplacement {
    let model: SyncedModel
    /// The storage for the bytes of assets.
    let storage: any AssetStorage
    let automatic: AutomaticAssets
    /// The changes that it has made.
    private(set) var changes = StoreChanges()
    /// Whether it has recorded assets as wanted.
    private(set) var mayMissAssets = false

    init(_ model: SyncedModel, _ storage: any AssetStorage, _ automatic: AutomaticAssets) {
        self.model = model
        self.storage = storage
        self.automatic = automatic
    }

    /// Replaces some assets of one object.
    ///
    /// - Parameter recordName: The name of its record.
    mutating func replace(
        _ lost: [LostAsset], of id: ObjectID, recordName: String, in journal: any JournalWriting
    ) throws {
        guard let entity = model.entity(named: id.entityName)?.entity else { return }
        let rows = try journal.rows(of: entity, keys: [id.key])
        guard rows.count == 1 else { return }
        var values = rows.values(at: 0)
        let replaced = lost.filter { values[$0.column.slot] == .asset($0.reference) }
        for asset in replaced { values[asset.column.slot] = asset.replacement }
        guard values != rows.values(at: 0) else { return }
        try journal.upsert(RecordImage(values: values, links: [:]).row(id.key, of: entity))
        changes.updated.append(id)
        for asset in replaced { try noteWanted(asset, of: id, recordName, in: journal) }
    }

    /// Records a replacement as wanted. Its record was merged while the object had the lost asset, so no page has
    /// recorded it.
    private mutating func noteWanted(
        _ asset: LostAsset, of id: ObjectID, _ recordName: String, in journal: any JournalWriting
    ) throws {
        guard case .asset(let reference) = asset.replacement, !storage.contains(reference),
            automatic.include(asset.column, of: id.entityName, size: reference.size)
        else { return }
        let wanted = WantedAsset(
            objectID: id, key: asset.column.name, recordName: recordName, reference: reference)
        try journal.setNote(.wanted, of: wanted.place, to: wanted)
        mayMissAssets = true
    }
}
