import Backstitch
package import CloudWire

/// A page of the zone's changes.
package struct FetchedPage: Sendable {
    /// The token of the request; nil for the beginning.
    package var base: String?
    /// The token of the state after the page.
    package var token: String?
    /// Whether more pages follow.
    package var moreComing: Bool
    /// The records in their present state, and the deletions.
    package var records: [WireRecord]
    /// The history of the server's storage, if the server sends it.
    package var history: String?
    /// The number of records after the page, if the server sends it.
    package var recordsLeft: Int?
    /// Whether another process has synced the store since this one last read it, see ``PullStart``.
    var comesAfterOthers = false
    /// The changes of followed queries outside their records.
    var followed: FollowedNews?
    /// The user's rights in the public database; nil except in the first page of a pull.
    var rights: CreatorRights?

    /// Creates a page of a zone's changes.
    package init(base: String?, token: String?, moreComing: Bool, records: [WireRecord], history: String? = nil) {
        self.base = base
        self.token = token
        self.moreComing = moreComing
        self.records = records
        self.history = history
    }
}
