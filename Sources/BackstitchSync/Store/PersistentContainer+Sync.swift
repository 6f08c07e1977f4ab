public import Backstitch

extension PersistentContainer {
    /// Steers the sync of the container's store; nil when the store is not a synced one.
    public var sync: SyncController? { coordinator.stores.lazy.compactMap { $0 as? SyncStore }.first?.sync }

    /// Steers the sync of the container's store.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the store is not a synced one.
    public func requireSync() throws -> SyncController {
        if let sync { return sync }
        throw BackstitchError(
            .invalidRequest,
            "the container's store is of type \(type(of: coordinator.store).typeName), which does not sync; open it with "
                + "the type \"Sync\"")
    }

    /// The events of the container's synced store; see ``SyncController/events``. Ends at once when the store is not
    /// a synced one.
    public var syncEvents: AsyncStream<SyncEvent> { sync?.events ?? AsyncStream { $0.finish() } }
}
