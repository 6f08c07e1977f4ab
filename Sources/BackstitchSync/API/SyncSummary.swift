public import Backstitch

/// What a cycle did.
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
    /// How many records came from the server, deletions among them.
    public var received: Int
    /// How many changes the server took.
    public var sent: Int
    /// Changes that were found in this cycle to be such as the server does not take.
    public var blocked: [BlockedChange]
    /// Records that could not become objects.
    public var parked: [ParkedRecord]
    /// How many changes the server asked to send later.
    public var postponed: Int
    /// How many assets are not downloaded yet that should be; they are tried again in the next cycle.
    public var missingAssets: Int

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
        parked = []
        postponed = 0
        missingAssets = 0
    }

    /// The objects as stores tell of them.
    public var changes: StoreChanges { StoreChanges(inserted: inserted, updated: updated, deleted: deleted) }
}
