public import Backstitch

/// The result of a download of several assets, and its progress.
public struct AssetDownloads: Sendable {
    /// An asset that was not downloaded, with the error.
    public struct Failure: Sendable {
        /// The asset that is still missing.
        public var asset: RemoteAsset
        /// The error that stopped the download.
        public var error: BackstitchError
    }

    /// The number of assets that were asked for.
    public var totalCount = 0
    /// The total size of the requested assets, in bytes.
    public var totalSize: Int64 = 0
    /// The number of assets that were downloaded.
    public var count = 0
    /// The size of the downloaded assets, in bytes.
    public var size: Int64 = 0
    /// The failed downloads, in the order of their failures.
    public var failures: [Failure] = []
}
