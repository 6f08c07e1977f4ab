import BackstitchSupport

extension PersistentStoreCoordinator {
    /// Frees the bytes of external attributes that nothing names any more: of values that were replaced, of objects
    /// that were deleted, of saves that were refused.
    ///
    /// ```swift
    /// let count = try coordinator.collectAssets()
    /// ```
    /// A coordinator does this by itself, on a thread of its own, when it opens a store, and after history was purged.
    /// Bytes that rows or unsent changes name stay. While a context is pinned to a state of the store, in this or
    /// another process, nothing is freed; a later collection does it. The collection that the opening began is over
    /// when this returns. A deletion that is undone after its bytes were freed brings back the object without them.
    ///
    /// - Returns: How many contents were freed.
    /// - Throws: The errors of the stores.
    /// - Complexity: O(rows of entities with external attributes, files of content). Saves that name bytes wait for
    ///   some milliseconds.
    @discardableResult
    public func collectAssets() throws -> Int {
        try assetCollector.collect { try stores.reduce(0) { try $0 + $1.collectAssets() } }
    }

    /// Whether bytes of an entity's objects may be elsewhere.
    func hasAssetsElsewhere(of entity: ResolvedEntity) -> Bool {
        content.withLock { $0.members }.contains { $0.holds(entity) && $0.store.hasAssetsElsewhere }
    }

    /// Frees what earlier processes have left, while the program goes on.
    func collectAssetsLater() {
        let members = content.withLock { $0.members }.filter { member in
            !member.description.isReadOnly && member.description.url != nil
                && model.entities.contains { $0.hasExternalColumns && member.holds($0) }
        }
        assetCollector.collectLater(members.map(\.store))
    }
}
