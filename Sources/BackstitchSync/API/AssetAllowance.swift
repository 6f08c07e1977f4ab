/// The amount of assets that ``SyncAssets/evict(keeping:)`` leaves on this device.
public struct AssetAllowance: Sendable, Hashable {
    /// The total size that assets may have on this device, in bytes.
    public var maximumSize: Int64
    /// The number of assets that always stay, even large ones. Assets that must stay are not counted in it.
    public var minimumCount: Int

    /// Creates an allowance: 1 GiB and five assets unless given otherwise.
    public init(maximumSize: Int64 = 1 << 30, minimumCount: Int = 5) {
        self.maximumSize = maximumSize
        self.minimumCount = minimumCount
    }
}
