import Backstitch

/// The outcome of an eviction of some assets.
struct EvictedAssets: Sendable {
    /// Those whose bytes are gone, as they are used now.
    var gone: [AssetUsageIndex.Asset] = []
    /// Those that something has come to need, as they are used now.
    var kept: [AssetUsageIndex.Asset] = []
}
