import Backstitch

/// The settings for applying records.
package struct ApplySettings: Sendable {
    let model: SyncedModel
    /// The zone's name, which is part of foreign names' keys.
    var zone: String
    /// The names of the store's zones on the server.
    let names: ZoneNames
    /// The number of the zone in the store; 0 for the main one.
    var zoneNumber: Int64 = 0
    /// Whether the zone belongs to another user, who decides this user's rights.
    var isOfOthers = false
    /// Whether the zone is that of the public database; only a part of it is here.
    var isPublic = false
    /// Decides conflicts between both sides.
    var resolver: any ConflictResolver
    /// `key` or `Entity.key` of assets that are downloaded on request only.
    let excludedAssets: Set<String>
    /// The size of the largest automatic asset, in bytes, if the model does not say.
    var automaticAssetSize = Int64.max
    /// The size of the largest asset that is accepted from a server, in bytes.
    var largestAsset = SyncOptions.usualLargestAsset
    /// Whether the server's checksums of assets are hashes.
    var hashesAssets = true
    /// Whether objects may move from one zone to another.
    var followsMoves = false
    /// Whether deletions tell of moves, so that one that does not is none. On other servers they tell nothing.
    var reportsMoves: Bool { hashesAssets }
    /// Whether this device carries out moves: the zones are the user's own, and writing is allowed.
    var mayMove = false
    /// The storage for the bytes of assets.
    let assets: any AssetStorage
    /// The name of this store in the stamps of records that it has created.
    var device: String?
    /// Makes the keys of copies from conflicts.
    var generator = ObjectIDGenerator()
    /// The number of sync's steps that this process knows. It reveals other processes with the store open.
    var generation = SyncGeneration()
    /// The keys of encrypted fields; nil if the model has none.
    var ring: EncryptionKeyRing?
    /// Records that the wrapped store has refused, with the reasons.
    var refused: [ObjectKey: String] = [:]

    /// Runs `work`, which applies records to the store. If the store cannot hold a record, `work` is repeated without
    /// it, and the record is parked. PostgreSQL, for example, has no U+0000 in a text.
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

    /// Returns the settings of one of several zones, with the common decisions of `other`.
    func deciding(as other: ApplySettings) -> ApplySettings {
        var settings = self
        (settings.resolver, settings.hashesAssets) = (other.resolver, other.hashesAssets)
        settings.refused = other.refused
        return settings
    }

    /// The assets that are downloaded automatically.
    var automaticAssets: AutomaticAssets {
        AutomaticAssets(excluded: excludedAssets, largest: automaticAssetSize)
    }
}
