public import Backstitch

extension SyncAssets {
    /// The assets of an entity's objects, and the place of the bytes of each. Attributes that are nil are left out.
    ///
    /// ```swift
    /// let photos = try await sync.assets.states(of: "Photo", where: FetchPredicate(format: "album == 3"))
    /// for photo in photos {
    ///     if case .failed(.download, _, let reason) = photo.state { print(photo.objectID, reason) }
    /// }
    /// ```
    /// Only saved changes count; unsaved changes of a context are not known here.
    ///
    /// - Parameter entityName: The entity; objects of its subentities are included.
    /// - Parameter predicate: The objects to include; nil for all.
    /// - Returns: The assets in order of their objects' keys, then of their attributes.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an entity that the model does not have,
    ///   ``BackstitchError/Code/invalidPredicate`` for a predicate that does not fit it; the store's errors.
    /// - Complexity: O(*n*) in the number of objects and of blocked changes, in a few queries; one look at the file
    ///   system for each asset.
    public func states(of entityName: String, where predicate: FetchPredicate? = nil) async throws -> [ObjectAsset] {
        try await services.assetStates(of: entityName, predicate)
    }

    /// The assets of an entity's objects and the place of the bytes of each, now and after each change, ten times a
    /// second at most.
    ///
    /// ```swift
    /// for try await photos in sync.assets.stateUpdates(of: "Photo") {
    ///     grid.badges = Dictionary(photos.map { ($0.objectID, $0.state) }) { first, _ in first }
    /// }
    /// ```
    /// A slow consumer gets the newest states and misses those between. While another process syncs the store
    /// (``SyncStatus/State/standby``), the store is read every two seconds, and no transfer is shown as running. The
    /// sequence ends when the store is closed, and throws as ``states(of:where:)`` does.
    public func stateUpdates(
        of entityName: String, where predicate: FetchPredicate? = nil
    ) -> AsyncThrowingStream<[ObjectAsset], any Error> {
        sync.updates(pause: 100) { [services] in try await services.assetStates(of: entityName, predicate) }
    }
}
