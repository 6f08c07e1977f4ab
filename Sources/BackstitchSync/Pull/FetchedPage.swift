package import Backstitch
package import CloudWire

/// A page of the zone's changes.
package struct FetchedPage: Sendable {
    /// The token with which it was asked for; nil for the beginning.
    package var base: String?
    /// The token up to which one has read with it.
    package var token: String?
    /// Whether there is more after it.
    package var moreComing: Bool
    /// Records as they are now, and deletions.
    package var records: [WireRecord]
    /// The history of the server's storage, where it says so.
    package var history: String?
    /// How many records come after it, where the server says so.
    package var recordsLeft: Int?
    /// Whether another process has synced the store since this one last looked, see ``PullStart``.
    var comesAfterOthers = false
    /// The news of followed queries beside records.
    var followed: FollowedNews?

    /// A page.
    package init(base: String?, token: String?, moreComing: Bool, records: [WireRecord], history: String? = nil) {
        self.base = base
        self.token = token
        self.moreComing = moreComing
        self.records = records
        self.history = history
    }
}

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
