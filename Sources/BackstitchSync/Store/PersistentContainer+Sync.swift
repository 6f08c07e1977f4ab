public import Backstitch

extension PersistentContainer {
    /// The sync controller of the container's first synced store; nil if there is none. See ``sync(of:)`` for the
    /// others.
    public var sync: SyncController? { coordinator.stores.lazy.compactMap { $0 as? SyncStore }.first?.sync }

    /// Returns the sync controller of one of the container's stores.
    ///
    /// ```swift
    /// for store in container.coordinator.stores where store is SyncStore {
    ///     try await container.sync(of: store).sync()
    /// }
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the store is not one of the container's, or does not
    ///   sync.
    public func sync(of store: any PersistentStore) throws -> SyncController {
        guard coordinator.stores.contains(where: { $0 === store }) else {
            throw BackstitchError(
                .invalidRequest,
                "the store \(store.identifier) does not belong to the container; use one of coordinator.stores")
        }
        if let store = store as? SyncStore { return store.sync }
        throw Self.isNotSynced(store)
    }

    /// Returns the sync controller of the container's first store of a database.
    ///
    /// ```swift
    /// let shares = try await container.sync(of: .shared).sharing.shares()
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when no store has this database.
    public func sync(of database: SyncDatabase) throws -> SyncController {
        try coordinator.requireStore(of: database).sync
    }

    /// Returns the sync controller of the container's first synced store.
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

    /// The events of the container's synced store; see ``SyncController/events``. The sequence ends at once if the
    /// store is not a synced one.
    public var syncEvents: AsyncStream<SyncEvent> { sync?.events ?? AsyncStream { $0.finish() } }
}
