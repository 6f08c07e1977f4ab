/// How much of the assets stays on this device when ``SyncController/evictAssets(keeping:)`` makes room.
public struct AssetAllowance: Sendable, Hashable {
    /// Bytes that may lie here, in total.
    public var maximumSize: Int64
    /// How many assets stay in any case, however large they are, beside those that must.
    public var minimumCount: Int

    /// An allowance.
    public init(maximumSize: Int64 = 1 << 30, minimumCount: Int = 5) {
        self.maximumSize = maximumSize
        self.minimumCount = minimumCount
    }
}
