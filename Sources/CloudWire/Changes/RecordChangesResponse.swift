/// Body of the answer of `records/changes`.
package struct RecordChangesResponse: Sendable, Hashable {
    /// Present records, and deletions; each record once.
    package var records: [WireRecord]
    /// The end of the client's read, for its next request.
    package var syncToken: String?
    /// True if another request with ``syncToken`` returns more.
    package var moreComing: Bool

    package init(records: [WireRecord], syncToken: String?, moreComing: Bool) {
        self.records = records
        self.syncToken = syncToken
        self.moreComing = moreComing
    }
}

extension RecordChangesResponse: WireObject {
    static var blank: Self { Self(records: [], syncToken: nil, moreComing: false) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("records", &records)
        keys.opaque("syncToken", &syncToken)
        keys.value("moreComing", &moreComing)
    }
}
