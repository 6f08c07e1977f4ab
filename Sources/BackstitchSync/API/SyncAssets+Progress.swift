extension SyncAssets {
    /// The progress of all transfers of assets at this moment. ``SyncStatus/transfers`` and ``SyncProgress/transfers``
    /// hold the same value at their moment.
    ///
    /// ```swift
    /// let downloads = sync.assets.progress.downloads
    /// print(downloads.size, "of", downloads.totalSize, "bytes,", downloads.count, "of", downloads.totalCount)
    /// ```
    /// Transfers of another process are not known here.
    public var progress: AssetTransferProgress { services.transfers.progress }

    /// The progress of all transfers of assets, now and after each change, ten times a second at most. A slow consumer
    /// gets the newest value and misses those between. The sequence ends when the store is closed.
    ///
    /// ```swift
    /// for try await progress in sync.assets.progressUpdates { bar.value = progress.downloads.fraction }
    /// ```
    public var progressUpdates: AsyncThrowingStream<AssetTransferProgress, any Error> {
        sync.updates(pause: 100) { [services] in services.transfers.progress }
    }
}
