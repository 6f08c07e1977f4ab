import Backstitch
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
