/// A page of one zone's changes.
package struct ZoneChanges: Sendable, Hashable {
    /// The zone of the changes.
    package var zoneID: ZoneID
    /// The end of the client's read. Store it together with the changes of the page.
    package var syncToken: String?
    /// True if another request with ``syncToken`` returns more. This is possible even for an empty page.
    package var moreComing: Bool
    /// Present records, and deletions; each record once.
    package var records: [WireRecord]
    /// Extension: identifies the history of the server's storage. It may change within the same life of a zone. The
    /// server has then returned to an earlier state, and may lack changes that it has acknowledged.
    package var history: String?
    /// Extension: the number of records and deletions after this page, if it was requested and ``moreComing`` is true.
    package var recordsLeft: Int?

    package init(
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
