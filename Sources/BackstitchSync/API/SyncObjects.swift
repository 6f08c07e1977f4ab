public import Backstitch

/// The objects of a store: their sync state, their records on the server, and the user's rights to them.
public struct SyncObjects: Sendable, SyncSubject {
    let sync: SyncController

    /// Returns the sync state of objects: whether the server has them as they are here, the pending changes, and the
    /// reasons.
    ///
    /// ```swift
    /// let state = try await sync.objects.states(of: [note.objectID])[note.objectID]
    /// switch state?.phase {
    /// case .blocked(_, let reason): show(reason)
    /// case .pending, .uploading: showClock()
    /// default: break
    /// }
    /// ```
    /// Only saved changes count; unsaved changes of a context are not known here.
    ///
    /// - Returns: A state for each of the objects.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an entity that the model does not have; the store's
    ///   errors; ``BackstitchError/Code/storeClosed`` after it was closed.
    /// - Complexity: O(*n*) in the number of objects, in a few queries; one look at the file system for each asset.
    public func states(of ids: [ObjectID]) async throws -> [ObjectID: SyncObjectState] {
        try await services.objectStates(of: ids)
    }

    /// Returns the objects with changes that the server has not taken yet, oldest change first. Blocked ones are in
    /// ``SyncBlocked/changes()`` instead.
    public func pending() async throws -> [ObjectID] {
        try await services.onWholeStore { store in
            try store.readJournal { try $0.outbox(after: 0, limit: .max).map(\.objectID) }
        }
    }

    /// The sync state of objects, now and after each change.
    ///
    /// ```swift
    /// for try await states in sync.objects.stateUpdates(of: [note.objectID]) {
    ///     badge.isHidden = states[note.objectID]?.phase == .synced
    /// }
    /// ```
    /// A slow consumer gets the newest states and misses those between. While another process syncs the store
    /// (``SyncStatus/State/standby``), the store is read every two seconds, and no transfer is shown as running. The
    /// sequence ends when the store is closed.
    public func stateUpdates(
        of ids: [ObjectID]
    ) -> AsyncThrowingStream<[ObjectID: SyncObjectState], any Error> {
        sync.updates { [services] in try await services.objectStates(of: ids) }
    }
}
