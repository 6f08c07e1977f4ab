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
    /// The name of this store in the stamps of records that it has made.
    var device: String?
    /// Bugs on purpose.
    var flaws: SyncFlaws = []
    /// Records that the wrapped store has refused, and why.
    var refused: [ObjectKey: String] = [:]

    /// Runs `work`, which brings records into the store, and again without those that the store cannot hold (PostgreSQL knows no U+0000 in
    /// a text), which are parked like others that cannot become objects.
    func leavingOutRefused<Result>(_ work: (ApplySettings) throws -> Result) throws -> Result {
        var settings = self
        while true {
            do { return try work(settings) } catch let error as BackstitchError {
                guard error.code == .invalidValue, let id = error.objectID, settings.refused[id.key] == nil else {
                    throw error
                }
                settings.refused[id.key] = "the store cannot hold it: \(error.message)"
            }
        }
    }

    /// Whether an asset is downloaded only when asked for.
    func isExcluded(_ key: String, of entity: String) -> Bool {
        excludedAssets.contains(key) || excludedAssets.contains("\(entity).\(key)")
    }
}
