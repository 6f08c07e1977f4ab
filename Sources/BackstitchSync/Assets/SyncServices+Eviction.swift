import Backstitch

extension SyncServices {
    /// How often an eviction is tried while others hold the bytes, and the milliseconds between: saves are over soon.
    private static let evictionAttempts = 20, evictionPause: Int64 = 25

    /// The assets that lie here.
    func assetCensus() async throws -> AssetUsageIndex {
        try await onWholeStore { [settings] store in try store.readJournal { try AssetUsageIndex(in: $0, settings) } }
    }

    /// Removes the bytes of some assets of a census, and tells contexts of it.
    ///
    /// A census of many objects takes a while, in which an object may be saved with bytes that are here already. So in
    /// a moment in which nobody is about to name content it is looked at again who needs these assets.
    ///
    /// - Returns: nil, with all of them still here, when there was no such moment.
    func evict(_ assets: [AssetUsageIndex.Asset], of census: AssetUsageIndex) async throws -> EvictedAssets? {
        for attempt in 1...Self.evictionAttempts {
            if let outcome = try await evictNow(assets, of: census) { return outcome }
            if attempt < Self.evictionAttempts { try await clock.sleep(milliseconds: Self.evictionPause) }
        }
        return nil
    }

    private func evictNow(
        _ assets: [AssetUsageIndex.Asset], of census: AssetUsageIndex
    ) async throws -> EvictedAssets? {
        try await onWholeStore { [self] store -> EvictedAssets? in
            var outcome: EvictedAssets?
            let isDone = try store.removeAssets { journal in
                let present = try census.updated(assets, in: journal, settings)
                outcome = present.map { divide(assets, as: $0) }
                return outcome?.gone.map(\.reference) ?? []
            }
            guard isDone, let outcome else { return nil }
            let changed = Set(outcome.gone.flatMap(\.uses).map(\.objectID))
            announce(StoreChanges(updated: changed.sorted()))
            return outcome
        }
    }

    private func divide(_ assets: [AssetUsageIndex.Asset], as present: AssetUsageIndex) -> EvictedAssets {
        var outcome = EvictedAssets()
        // Bytes that nobody names by now are the collector's.
        for asset in assets.compactMap({ present.assets[$0.reference] }) {
            if asset.need == nil, !transfers.isBusy(asset.reference, at: asset.uses) {
                outcome.gone.append(asset)
            } else {
                outcome.kept.append(asset)
            }
        }
        return outcome
    }
}
