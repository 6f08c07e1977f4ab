public import Backstitch
import BackstitchSupport

extension SyncAssets {
    /// Removes bytes of assets from this device until no more are left than the allowance permits. They stay on the
    /// server, and are downloaded again on request.
    ///
    /// The least recently used assets are removed first. Assets always stay if they are pinned, are not on the server
    /// yet, are being transferred, or are not synced; they count towards the size. While an older state of the store is
    /// being read, or saves follow each other without a pause, all remaining assets stay.
    ///
    /// ```swift
    /// try await sync.assets.pin("photo", of: note)
    /// let done = try await sync.assets.evict(keeping: AssetAllowance(maximumSize: 200 << 20))
    /// print("freed", done.evictedSize)
    /// ```
    ///
    /// - Throws: The store's errors. Bytes that were removed before the error stay removed; nothing else is affected.
    /// - Complexity: O(*n*) in the number of objects of entities with assets.
    @discardableResult
    public func evict(keeping allowance: AssetAllowance) async throws -> AssetEviction {
        let census = try await services.assetCensus()
        let leaving = census.leaving(allowance) { services.transfers.isBusy($0, at: $1) }
        var eviction = AssetEviction()
        for part in leaving.parts(of: Self.evictedAtOnce) {
            guard let done = try await services.evict(Array(part), of: census) else { break }
            eviction.evictedCount += done.gone.count
            eviction.evictedSize += done.gone.reduce(0) { $0 + $1.reference.size }
        }
        eviction.remainingSize = census.size - eviction.evictedSize
        return eviction
    }

    /// The number of assets that are removed at a time, so that saves do not wait for long.
    private static var evictedAtOnce: Int { 500 }

    /// Pins an attribute's bytes: they always stay on this device. This holds for this device only, also when the bytes
    /// change, until ``unpin(_:of:)``.
    ///
    /// - Throws: As ``state(_:of:)``.
    public func pin(_ key: String, of id: ObjectID) async throws { try await setPinned(true, key, of: id) }

    /// Lets an attribute's bytes be removed from this device again, after ``pin(_:of:)``.
    ///
    /// - Throws: As ``state(_:of:)``.
    public func unpin(_ key: String, of id: ObjectID) async throws { try await setPinned(false, key, of: id) }

    /// Returns whether an attribute's bytes are pinned; see ``pin(_:of:)``.
    public func isPinned(_ key: String, of id: ObjectID) async throws -> Bool {
        try await services.onStore { store in
            try store.readJournal { try $0.hasNote(.pinned, of: AssetPlace(key: id.key, attribute: key)) }
        }
    }

    private func setPinned(_ isPinned: Bool, _ key: String, of id: ObjectID) async throws {
        _ = try await state(key, of: id)
        try await services.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                try journal.setNote(.pinned, of: AssetPlace(key: id.key, attribute: key), to: isPinned)
            }
        }
    }
}
