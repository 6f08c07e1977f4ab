import Backstitch

extension SyncServices {
    /// The number of tries while others hold the bytes, and the milliseconds between two tries: saves are short.
    private static let evictionAttempts = 20, evictionPause: Int64 = 25

    /// Returns the index of the assets on this device.
    func assetCensus() async throws -> AssetUsageIndex {
        try await onWholeStore { [settings] store in try store.readJournal { try AssetUsageIndex(in: $0, settings) } }
    }

    /// Removes the bytes of some assets of a census, and tells contexts.
    ///
    /// A census of many objects takes a while. Meanwhile an object may be saved with bytes that are already here. So
    /// the needs of these assets are checked again, at a moment when no save is about to refer to them.
    ///
    /// - Returns: nil if there was no such moment; then all of them are still here.
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
        // Bytes without any reference are left to the garbage collector.
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
