/// A page of one zone's changes.
public struct ZoneChanges: Sendable, Hashable {
    /// The zone of the changes.
    public var zoneID: ZoneID
    /// The end of the client's read. Store it together with the changes of the page.
    public var syncToken: String?
    /// True if another request with ``syncToken`` returns more. This is possible even for an empty page.
    public var moreComing: Bool
    /// Present records, and deletions; each record once.
    public var records: [WireRecord]
    /// Extension: identifies the history of the server's storage. It may change within the same life of a zone. The
    /// server has then returned to an earlier state, and may lack changes that it has acknowledged.
    public var history: String?
    /// Extension: the number of records and deletions after this page, if it was requested and ``moreComing`` is true.
    public var recordsLeft: Int?

    /// Creates a page of changes.
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
