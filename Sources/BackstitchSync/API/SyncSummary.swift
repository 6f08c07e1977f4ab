public import Backstitch

/// The results of a cycle, or of several of them.
public struct SyncSummary: Sendable, Hashable {
    /// Why the cycle ran; of several merged reasons the most important.
    public var reason: SyncReason
    /// Objects that came from the server, in order of their keys.
    public var inserted: [ObjectID]
    /// Objects that the server's changes have changed, in order of their keys.
    public var updated: [ObjectID]
    /// Objects that are gone because the server's records are, in order of their keys.
    public var deleted: [ObjectID]
    /// Conflicts, and who won.
    public var conflicts: [SyncConflict]
    /// Objects that had the same unique values, and are one now.
    public var merged: [MergedObjects]
    /// How many records came from the server, deletions among them; without those that this device has sent itself.
    public var received: Int
    /// How many changes the server took.
    public var sent: Int
    /// Changes that the server does not take: all that are set aside in the answer of ``SyncController/sync(reason:)``,
    /// and those of the cycle in ``SyncEvent/finished(_:)``.
    public var blocked: [BlockedChange]
    /// Changes in zones of others that were taken back, because the user had no right to them when they were sent, or
    /// takes part no more.
    public var reverted: [RevertedChange]
    /// Records that could not become objects.
    public var parked: [ParkedRecord]
    /// How many changes the server asked to send later.
    public var deferred: Int
    /// How many assets are not downloaded yet that should be; they are tried again in the next cycle.
    public var missingAssets: Int
    /// Whether more objects, conflicts and records were met than the lists name: they keep 100,000 of each for cycles
    /// that nobody has asked for.
    public var isCutShort: Bool

    /// A summary without anything done.
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

    /// The objects as stores tell of them.
    public var changes: StoreChanges { StoreChanges(inserted: inserted, updated: updated, deleted: deleted) }
}
