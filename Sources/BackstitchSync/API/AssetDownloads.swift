public import Backstitch

/// The outcome of a download of several assets, and how far it has got.
public struct AssetDownloads: Sendable {
    /// An asset that has not come, and why.
    public struct Failure: Sendable {
        /// The asset.
        public var asset: RemoteAsset
        /// Why it has not come.
        public var error: BackstitchError
    }

    /// How many were asked for.
    public var totalCount = 0
    /// Bytes of all that were asked for.
    public var totalSize: Int64 = 0
    /// How many have come.
    public var count = 0
    /// Bytes of those that have come.
    public var size: Int64 = 0
    /// Those that have not come, in the order in which that was found.
    public var failures: [Failure] = []
}
