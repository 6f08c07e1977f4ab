public import Backstitch

extension SyncController {
    /// The assets of an entity's objects, and where the bytes of each are. Attributes that are nil are left out.
    ///
    /// ```swift
    /// let photos = try await sync.assetStates(of: "Photo", where: FetchPredicate(format: "album == 3"))
    /// for photo in photos {
    ///     if case .failed(.download, _, let reason) = photo.state { print(photo.objectID, reason) }
    /// }
    /// ```
    /// Only saved changes count; those of a context are not known here.
    ///
    /// - Parameters:
    ///   - entityName: The entity; objects of its subentities are among them.
    ///   - predicate: Which of its objects; nil for all.
    /// - Returns: The assets in order of their objects' keys, then of their attributes.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an entity that the model does not have,
    ///   ``BackstitchError/Code/invalidPredicate`` for a predicate that does not fit it; the store's errors.
    /// - Complexity: O(*n*) in the number of objects and in that of changes that are set aside, in a few queries; a
    ///   look at the file system for each asset.
    public func assetStates(of entityName: String, where predicate: FetchPredicate? = nil) async throws -> [ObjectAsset]
    {
        try await services.assetStates(of: entityName, predicate)
    }

    /// The assets of an entity's objects and where the bytes of each are, now and after each change, ten times a second
    /// at most.
    ///
    /// ```swift
    /// for try await photos in sync.assetStateUpdates(of: "Photo") {
    ///     grid.badges = Dictionary(photos.map { ($0.objectID, $0.state) }) { first, _ in first }
    /// }
    /// ```
    /// A consumer that is slow gets the newest states and misses those between. While another process syncs the store
    /// (``SyncStatus/State/standby``), the store is looked at every two seconds, and nothing shows as on its way. The
    /// sequence ends when the store is closed, and throws as ``assetStates(of:where:)`` does.
    public func assetStateUpdates(
        of entityName: String, where predicate: FetchPredicate? = nil
    ) -> AsyncThrowingStream<[ObjectAsset], any Error> {
        updates(pause: 100) { [services] in try await services.assetStates(of: entityName, predicate) }
    }
}
