import Backstitch

/// The result of an eviction of some assets.
struct EvictedAssets: Sendable {
    /// The assets whose bytes were removed, with their present uses.
    var gone: [AssetUsageIndex.Asset] = []
    /// The assets that are needed again since the decision, with their present uses.
    var kept: [AssetUsageIndex.Asset] = []
}
