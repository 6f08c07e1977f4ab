/// A page of one zone's changes.
public struct ZoneChanges: Sendable, Hashable {
    /// The zone.
    public var zoneID: ZoneID
    /// The point up to which the client has now read; store it together with what the page changed.
    public var syncToken: String?
    /// True when another request with ``syncToken`` gives more. A page may be empty and still say so.
    public var moreComing: Bool
    /// Records as they are now, and deletions; each record once.
    public var records: [WireRecord]
    /// Extension: names the history of the server's storage. Another one than before in the same life of a zone tells
    /// that the server went back to an earlier state, and may lack what it has acknowledged.
    public var history: String?
    /// Extension: how many records and deletions come after this page, if it was asked for and ``moreComing``.
    public var recordsLeft: Int?

    /// A page.
    public init(
        zoneID: ZoneID, syncToken: String?, moreComing: Bool, records: [WireRecord], history: String? = nil,
        recordsLeft: Int? = nil
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.moreComing = moreComing
        self.records = records
        self.history = history
        self.recordsLeft = recordsLeft
    }
}
