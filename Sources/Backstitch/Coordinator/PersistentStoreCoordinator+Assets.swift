import BackstitchSupport

extension PersistentStoreCoordinator {
    /// Frees the bytes of external attributes that nothing names any more: bytes of replaced values, of deleted
    /// objects, and of refused saves.
    ///
    /// ```swift
    /// let count = try coordinator.collectAssets()
    /// ```
    /// A coordinator does this by itself, on a separate thread, when it opens a store and after history was purged.
    /// Bytes that rows or unsent changes name stay. While a context in this or another process is pinned to a state of
    /// the store, nothing is freed; a later collection does it.
    ///
    /// When this method returns, the collection of the opening is over too. If a deletion is undone after its bytes
    /// were freed, the object is brought back without them.
    ///
    /// - Returns: The number of contents that were freed.
    /// - Throws: The errors of the stores.
    /// - Complexity: O(rows of entities with external attributes, files of content). Saves that name bytes wait for
    ///   some milliseconds.
    @discardableResult
    public func collectAssets() throws -> Int {
        try assetCollector.collect { try stores.reduce(0) { try $0 + $1.collectAssets() } }
    }

    /// Whether bytes of an entity's objects may be stored elsewhere.
    func hasAssetsElsewhere(of entity: ResolvedEntity) -> Bool {
        content.withLock { $0.members }.contains { $0.holds(entity) && $0.store.hasAssetsElsewhere }
    }

    /// Frees bytes left by earlier processes, while the program goes on.
    func collectAssetsLater() {
        let members = content.withLock { $0.members }.filter { member in
            !member.description.isReadOnly && member.description.url != nil
                && model.entities.contains { $0.hasExternalColumns && member.holds($0) }
        }
        assetCollector.collectLater(members.map(\.store))
    }
}
