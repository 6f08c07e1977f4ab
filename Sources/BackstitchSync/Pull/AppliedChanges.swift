package import Backstitch
import CloudWire

/// The changes that records of the server have made here.
package struct AppliedChanges: Sendable, Equatable {
    /// How many records there were.
    package var received = 0
    /// How many of them were only what this device had sent, or never had.
    package var echoed = 0
    /// Objects that came, changed and went.
    package var changes = StoreChanges()
    /// The changes that could not both stay.
    package var conflicts: [SyncConflict] = []
    /// Records that could not become objects.
    package var parked: [ParkedRecord] = []
    /// Changes here that were found to be such as nobody could decide about, and are in quarantine now.
    package var blocked: [BlockedChange] = []
    /// Objects that had the same unique values, and are one now.
    package var merged: [MergedObjects] = []
    /// Changes in zones of others that were taken back.
    package var reverted: [RevertedChange] = []
    /// Whether the zone is shared otherwise than before.
    package var hasNewShare = false
    /// Whether that has left something to send.
    package var hasUnsent = false
    /// Whether there may be assets to download.
    package var mayMissAssets = false
    /// Whether records are parked, which may wait for bytes of large values.
    var awaitsBytes = false
    /// Whether objects may be on their way from one zone to another.
    package var mayMove = false
    /// Zones that must be read before objects that have left them are sent: these, or what they had left in the way,
    /// were deleted where they are now.
    package var zonesBehind: Set<Int64> = []

    /// Whether nothing has come of it.
    var isFruitless: Bool { changes.isEmpty && conflicts.isEmpty && parked.isEmpty && !hasUnsent && !mayMove }

    /// No changes.
    package init() {}
}
