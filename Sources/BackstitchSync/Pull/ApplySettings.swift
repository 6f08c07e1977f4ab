import Backstitch

/// The settings by which records are applied.
package struct ApplySettings: Sendable {
    let model: SyncedModel
    /// The zone's name, which is part of foreign names' keys.
    var zone: String
    /// The names of the store's zones on the server.
    let names: ZoneNames
    /// The number that the store has given the zone; 0 for the main one.
    var zoneNumber: Int64 = 0
    /// Whether the zone is somebody else's, in whose hands this user's rights are.
    var isOfOthers = false
    /// Whether the zone is that of the public database, of which some is here.
    var isPublic = false
    /// Decides conflicts.
    var resolver: any ConflictResolver
    /// `key` or `Entity.key` of assets that are downloaded only when asked for.
    let excludedAssets: Set<String>
    /// Bytes of the largest asset that is downloaded unasked, where the model says nothing of it.
    var automaticAssetSize = Int64.max
    /// Bytes of the largest asset that is taken from a server.
    var largestAsset = SyncOptions.usualLargestAsset
    /// Whether the server's checksums of assets are hashes.
    var hashesAssets = true
    /// Whether objects may move from one zone to another.
    var followsMoves = false
    /// Whether this device carries moves out: the zones are the user's own, and it may write.
    var mayMove = false
    /// Where bytes of assets are kept.
    let assets: any AssetStorage
    /// The name of this store in the stamps of records that it has made.
    var device: String?
    /// Makes the keys of objects that conflicts make.
    var generator = ObjectIDGenerator()
    /// The count of sync's steps as this process knows it, by which it notices others that have the store open.
    var generation = SyncGeneration()
    /// The keys of encrypted fields; nil where the model has none.
    var ring: EncryptionKeyRing?
    /// Records that the wrapped store has refused, and why.
    var refused: [ObjectKey: String] = [:]

    /// Runs `work`, which brings records into the store, and again without those that the store cannot hold (PostgreSQL
    /// knows no U+0000 in a text), which are parked like others that cannot become objects.
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

    /// The settings of one of several zones, which decide as `other` does that is for all of them.
    func deciding(as other: ApplySettings) -> ApplySettings {
        var settings = self
        (settings.resolver, settings.hashesAssets) = (other.resolver, other.hashesAssets)
        settings.refused = other.refused
        return settings
    }

    /// The assets that are downloaded without being asked for.
    var automaticAssets: AutomaticAssets {
        AutomaticAssets(excluded: excludedAssets, largest: automaticAssetSize)
    }
}
