/// The progress of all transfers of assets, in each direction; see ``SyncAssets/progress``.
public struct AssetTransferProgress: Sendable, Hashable {
    /// The transfers of one direction since the last moment without transfers.
    public struct Part: Sendable, Hashable {
        /// The number of finished transfers.
        public var count: Int
        /// The number of all transfers: finished, running and waiting.
        public var totalCount: Int
        /// The bytes that were transferred, including the finished part of running transfers.
        public var size: Int64
        /// The bytes of all transfers together.
        public var totalSize: Int64

        /// Creates the progress of one direction.
        public init(count: Int = 0, totalCount: Int = 0, size: Int64 = 0, totalSize: Int64 = 0) {
            self.count = count
            self.totalCount = totalCount
            self.size = size
            self.totalSize = totalSize
        }

        /// The transferred part of the bytes, from 0 to 1. It is 1 if there is nothing to do.
        public var fraction: Double { totalSize > 0 ? Double(size) / Double(totalSize) : 1 }
        /// Whether no transfer is running or waiting.
        public var isDone: Bool { count == totalCount }
    }

    /// The transfers from the server: automatic downloads, and downloads that were asked for.
    public var downloads: Part
    /// The transfers to the server: assets of pending changes, until their records are sent.
    public var uploads: Part

    /// Creates the progress of both directions.
    public init(downloads: Part = Part(), uploads: Part = Part()) {
        self.downloads = downloads
        self.uploads = uploads
    }
}
