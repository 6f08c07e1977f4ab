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

    /// A page.
    package init(base: String?, token: String?, moreComing: Bool, records: [WireRecord]) {
        self.base = base
        self.token = token
        self.moreComing = moreComing
        self.records = records
    }
}

/// What records of the server changed here.
package struct AppliedChanges: Sendable, Equatable {
    /// How many records there were.
    package var received = 0
    /// Objects that came, changed and went.
    package var changes = StoreChanges()
    /// What could not both stay.
    package var conflicts: [SyncConflict] = []
    /// Records that could not become objects.
    package var parked: [ParkedRecord] = []
    /// Changes here that were found to be such as nobody could decide about, and are in quarantine now.
    package var blocked: [BlockedChange] = []
    /// Objects that had the same unique values, and are one now.
    package var merged: [MergedObjects] = []
    /// Whether that has left something to send.
    package var hasUnsent = false
    /// Whether there may be assets to download.
    package var mayMissAssets = false

    /// No changes.
    package init() {}
}
