extension SyncEngine {
    /// The state of the downloads of assets, which run beside the cycles.
    enum Assets: Sendable, Equatable {
        /// None is missing.
        case complete
        /// Some may be missing.
        case lacking
        /// Those that were noted as missing are downloaded.
        case loading
        /// The same, and others were noted since.
        case loadingAndLacking
    }

    var isLoadingAssets: Bool { assets == .loading || assets == .loadingAndLacking }

    mutating func assetsMayBeMissing() { assets = isLoadingAssets ? .loadingAndLacking : .lacking }

    /// Begins to download what is noted as missing, if anything may be.
    mutating func loadAssets() {
        guard assets == .lacking else { return }
        assets = .loading
        effects.append(.fetchAssets)
    }

    mutating func assetsFetched(missing: Int, wait: Int64?) {
        nextDownload = wait.map { now + $0 }
        assets = assets == .loadingAndLacking || assets == .lacking ? .lacking : .complete
        cycle?.totals.missingAssets = missing
        // Assets that pages have noted since these downloads began are not among them.
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
