package import Backstitch
import CloudWire

/// The changes that records of the server have made here.
package struct AppliedChanges: Sendable, Equatable {
    /// The number of received records.
    package var received = 0
    /// The number of those records that this device had sent itself, or never had.
    package var echoed = 0
    /// The inserted, updated and deleted objects.
    package var changes = StoreChanges()
    /// The conflicts: changes that could not both stay.
    package var conflicts: [SyncConflict] = []
    /// Records that could not become objects.
    package var parked: [ParkedRecord] = []
    /// Changes that are now blocked, because their conflicts could not be decided.
    package var blocked: [BlockedChange] = []
    /// Objects that had the same unique values, and were merged.
    package var merged: [MergedObjects] = []
    /// Changes in zones of others that were reverted.
    package var reverted: [RevertedChange] = []
    /// Whether the sharing of the zone, or the user's rights in the public database, have changed.
    package var hasNewRights = false
    /// Whether the records have caused changes to send.
    package var hasUnsent = false
    /// Whether there may be assets to download.
    package var mayMissAssets = false
    /// Whether records are parked that may wait for bytes of large values.
    var awaitsBytes = false
    /// Whether objects may be moving from one zone to another.
    package var mayMove = false

    /// Whether the records had no effect.
    var isFruitless: Bool { changes.isEmpty && conflicts.isEmpty && parked.isEmpty && !hasUnsent && !mayMove }

    /// Creates a result without changes.
    package init() {}
}
