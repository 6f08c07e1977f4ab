/// The progress of all transfers of assets, in each direction; see ``SyncController/transferProgress``.
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

extension SyncController {
    /// The progress of all transfers of assets at this moment. ``SyncStatus/transfers`` and ``SyncProgress/transfers``
    /// hold the same value at their moment.
    ///
    /// ```swift
    /// let downloads = sync.transferProgress.downloads
    /// print(downloads.size, "of", downloads.totalSize, "bytes,", downloads.count, "of", downloads.totalCount)
    /// ```
    /// Transfers of another process are not known here.
    public var transferProgress: AssetTransferProgress { services.transfers.progress }

    /// The progress of all transfers of assets, now and after each change, ten times a second at most. A slow consumer
    /// gets the newest value and misses those between. The sequence ends when the store is closed.
    ///
    /// ```swift
    /// for try await progress in sync.transferProgressUpdates { bar.value = progress.downloads.fraction }
    /// ```
    public var transferProgressUpdates: AsyncThrowingStream<AssetTransferProgress, any Error> {
        updates(pause: 100) { [services] in services.transfers.progress }
    }
}
