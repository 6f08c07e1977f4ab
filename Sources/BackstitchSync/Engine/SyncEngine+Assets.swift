extension SyncEngine {
    /// The state of the downloads of assets, which run outside the cycles.
    enum Assets: Sendable, Equatable {
        /// No asset is missing.
        case complete
        /// Some assets may be missing.
        case lacking
        /// The assets recorded as missing are being downloaded.
        case loading
        /// Assets are being downloaded, and others were recorded as missing since then.
        case loadingAndLacking
    }

    var isLoadingAssets: Bool { assets == .loading || assets == .loadingAndLacking }

    mutating func assetsMayBeMissing() { assets = isLoadingAssets ? .loadingAndLacking : .lacking }

    /// Begins to download the assets recorded as missing, if there may be any.
    mutating func loadAssets() {
        guard assets == .lacking else { return }
        assets = .loading
        effects.append(.fetchAssets)
    }

    mutating func assetsFetched(missing: Int, wait: Int64?) {
        nextDownload = wait.map { now + $0 }
        assets = assets == .loadingAndLacking || assets == .lacking ? .lacking : .complete
        cycle?.totals.missingAssets = missing
        // Assets that pages have recorded since the start of these downloads are not among them.
        if !isPaused { loadAssets() }
        if isLoadingAssets { return }
        fruitlessDownloads = missing > 0 ? fruitlessDownloads + 1 : 0
        if missing > 0 {
            assetsMayBeMissing()
            schedulePoll()
        }
        if cycle?.phase == .awaitingAssets, !uploads.isUnderWay { finishCycle() }
    }
}
