import Backstitch

/// What applying records goes by.
package struct ApplySettings: Sendable {
    let model: SyncedModel
    /// The zone's name, which is part of foreign names' keys.
    let zone: String
    /// Who wins conflicts.
    var resolver: any ConflictResolver
    /// `key` or `Entity.key` of assets that are downloaded only when asked for.
    let excludedAssets: Set<String>
    /// Where bytes of assets are kept.
    let assets: any AssetStorage
    /// Which inserts the server may have already.
    let sentInserts: SentInserts
    /// Bugs on purpose.
    var flaws: SyncFlaws = []

    /// Whether an asset is downloaded only when asked for.
    func isExcluded(_ key: String, of entity: String) -> Bool {
        excludedAssets.contains(key) || excludedAssets.contains("\(entity).\(key)")
    }
}
