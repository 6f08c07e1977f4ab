public import Backstitch

extension PersistentContainer {
    /// Steers the sync of the container's store; nil when the store is not a synced one. Of several synced stores the
    /// first; see ``sync(of:)`` for the others.
    public var sync: SyncController? { coordinator.stores.lazy.compactMap { $0 as? SyncStore }.first?.sync }

    /// Steers the sync of one of the container's stores.
    ///
    /// ```swift
    /// for store in container.coordinator.stores where store is SyncStore {
    ///     try await container.sync(of: store).sync()
    /// }
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the store is none of the container's, or does not sync.
    public func sync(of store: any PersistentStore) throws -> SyncController {
        guard coordinator.stores.contains(where: { $0 === store }) else {
            throw BackstitchError(
                .invalidRequest,
                "the store \(store.identifier) is none of the container's; ask with one of coordinator.stores")
        }
        if let store = store as? SyncStore { return store.sync }
        throw Self.isNotSynced(store)
    }

    /// Steers the sync of the container's store of a database; of several, the first.
    ///
    /// ```swift
    /// let shares = try await container.sync(of: .shared).shares()
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when no store is of the database.
    public func sync(of database: SyncDatabase) throws -> SyncController {
        try coordinator.requireStore(of: database).sync
    }

    /// Steers the sync of the container's store, of several synced ones the first.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when no store is a synced one.
    public func requireSync() throws -> SyncController {
        if let sync { return sync }
        throw Self.isNotSynced(coordinator.store)
    }

    private static func isNotSynced(_ store: any PersistentStore) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "the container's store is of type \(type(of: store).typeName), which does not sync; open it with the type "
                + "\"Sync\"")
    }

    /// The events of the container's synced store; see ``SyncController/events``. Ends at once when the store is not
    /// a synced one.
    public var syncEvents: AsyncStream<SyncEvent> { sync?.events ?? AsyncStream { $0.finish() } }
}
