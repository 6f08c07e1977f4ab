/// How far all transfers of assets have got, in each direction; see ``SyncController/transferProgress``.
public struct AssetTransferProgress: Sendable, Hashable {
    /// The transfers of one direction since the last time that there were none.
    public struct Part: Sendable, Hashable {
        /// How many are done.
        public var count: Int
        /// How many there are: done, under way and waiting.
        public var totalCount: Int
        /// Bytes that are done, those of transfers under way among them.
        public var size: Int64
        /// Bytes of all.
        public var totalSize: Int64

        /// Transfers.
        public init(count: Int = 0, totalCount: Int = 0, size: Int64 = 0, totalSize: Int64 = 0) {
            self.count = count
            self.totalCount = totalCount
            self.size = size
            self.totalSize = totalSize
        }

        /// The part of the bytes that is done, from 0 to 1; 1 when there is nothing to do.
        public var fraction: Double { totalSize > 0 ? Double(size) / Double(totalSize) : 1 }
        /// Whether nothing is under way, and nothing waits.
        public var isDone: Bool { count == totalCount }
    }

    /// From the server: assets that come by themselves, and those that were asked for.
    public var downloads: Part
    /// To the server: the assets of the changes that wait to be sent, until their records go.
    public var uploads: Part

    /// A state of progress.
    public init(downloads: Part = Part(), uploads: Part = Part()) {
        self.downloads = downloads
        self.uploads = uploads
    }
}

extension SyncController {
    /// How far all transfers of assets have got now. ``SyncStatus/transfers`` and ``SyncProgress/transfers`` are the
    /// same value at their time.
    ///
    /// ```swift
    /// let downloads = sync.transferProgress.downloads
    /// print(downloads.size, "of", downloads.totalSize, "bytes,", downloads.count, "of", downloads.totalCount)
    /// ```
    /// Of transfers that another process makes nothing is known here.
    public var transferProgress: AssetTransferProgress { services.transfers.progress }

    /// How far all transfers of assets have got, now and each time that it has changed, ten times a second at most. A
    /// consumer that is slow gets the newest and misses those between. Ends when the store is closed.
    ///
    /// ```swift
    /// for try await progress in sync.transferProgressUpdates { bar.value = progress.downloads.fraction }
    /// ```
    public var transferProgressUpdates: AsyncThrowingStream<AssetTransferProgress, any Error> {
        updates(pause: 100) { [services] in services.transfers.progress }
    }
}
