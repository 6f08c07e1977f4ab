public import Backstitch

/// The results of one cycle or several cycles.
public struct SyncSummary: Sendable, Hashable {
    /// The reason for the cycle; the most important one of several merged reasons.
    public var reason: SyncReason
    /// Objects that were created from the server's records, in order of their keys.
    public var inserted: [ObjectID]
    /// Objects that were changed by the server's changes, in order of their keys.
    public var updated: [ObjectID]
    /// Objects that were deleted because the server's records are deleted, in order of their keys.
    public var deleted: [ObjectID]
    /// The conflicts, with the winners.
    public var conflicts: [SyncConflict]
    /// Objects that had the same unique values, and were merged.
    public var merged: [MergedObjects]
    /// The number of records received from the server, including deletions, without the echoes of this device's own
    /// changes.
    public var received: Int
    /// The number of changes that the server took.
    public var sent: Int
    /// Blocked changes: all present ones in the result of ``SyncController/sync(reason:)``, and the cycle's own ones in
    /// ``SyncEvent/finished(_:)``.
    public var blocked: [BlockedChange]
    /// Changes in zones of others that were reverted: the user had no right to them when they were sent, or is no
    /// longer a participant.
    public var reverted: [RevertedChange]
    /// Records that could not become objects.
    public var parked: [ParkedRecord]
    /// The number of changes that the server asked to send later.
    public var deferred: Int
    /// The number of automatic assets that are not downloaded yet; the next cycle tries them again.
    public var missingAssets: Int
    /// Whether the lists are incomplete. They keep 100,000 objects, conflicts and records each for cycles that no
    /// caller asked for.
    public var isCutShort: Bool

    /// Creates a summary of a cycle that has done nothing yet.
    public init(reason: SyncReason) {
        self.reason = reason
        inserted = []
        updated = []
        deleted = []
        conflicts = []
        merged = []
        received = 0
        sent = 0
        blocked = []
        reverted = []
        parked = []
        deferred = 0
        missingAssets = 0
        isCutShort = false
    }

    /// The changed objects as a store's change notice.
    public var changes: StoreChanges { StoreChanges(inserted: inserted, updated: updated, deleted: deleted) }
}
