import Backstitch

/// An asset that a push leaves out of its record, since its bytes are not here and the server does not have them there.
struct LostAsset: Sendable {
    let column: ResolvedProperty
    /// The asset that the row names.
    let reference: AssetReference
    /// The value that the server has in its place.
    let replacement: Value
}

extension JournalWriting {
    /// Gives an object what the server has in place of assets that were left out. What was changed meanwhile stays.
    ///
    /// - Returns: Whether that has changed anything.
    func replace(_ lost: [LostAsset], of id: ObjectID, _ model: SyncedModel) throws -> Bool {
        guard let entity = model.entity(named: id.entityName)?.entity else { return false }
        let rows = try rows(of: entity, keys: [id.key])
        guard rows.count == 1 else { return false }
        var values = rows.values(at: 0)
        for asset in lost where values[asset.column.slot] == .asset(asset.reference) {
            values[asset.column.slot] = asset.replacement
        }
        guard values != rows.values(at: 0) else { return false }
        try upsert(RecordImage(values: values, links: [:]).row(id.key, of: entity))
        return true
    }
}
