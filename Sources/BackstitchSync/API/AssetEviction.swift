/// The result of ``SyncAssets/evict(keeping:)``.
public struct AssetEviction: Sendable, Hashable {
    /// The number of assets that were removed from this device.
    public var evictedCount = 0
    /// The size of the removed assets, in bytes.
    public var evictedSize: Int64 = 0
    /// The size of the assets that are left on this device, in bytes.
    public var remainingSize: Int64 = 0
}
