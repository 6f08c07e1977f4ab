/// Body of the answer of `records/changes`.
public struct RecordChangesResponse: Sendable, Hashable {
    /// Present records, and deletions; each record once.
    public var records: [WireRecord]
    /// The end of the client's read, for its next request.
    public var syncToken: String?
    /// True if another request with ``syncToken`` returns more.
    public var moreComing: Bool

    /// Creates an answer from its records.
    public init(records: [WireRecord], syncToken: String?, moreComing: Bool) {
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
