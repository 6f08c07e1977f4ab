/// Body of the answer of `records/changes`.
public struct RecordChangesResponse: Sendable, Hashable {
    /// Records as they are now, and deletions; each record once.
    public var records: [WireRecord]
    /// The point up to which the client has now read.
    public var syncToken: String?
    /// True when another request with ``syncToken`` gives more.
    public var moreComing: Bool

    /// An answer.
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
