/// The result of ``SyncController/evictAssets(keeping:)``.
public struct AssetEviction: Sendable, Hashable {
    /// How many assets were removed from this device.
    public var evictedCount = 0
    /// How many bytes they had.
    public var evictedSize: Int64 = 0
    /// How many bytes of assets are left here.
    public var remainingSize: Int64 = 0
}
