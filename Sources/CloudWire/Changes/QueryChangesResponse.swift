/// Body of the answer of `changes/query`.
public struct QueryChangesResponse: Sendable, Hashable {
    /// Records as they are now for which a query holds, and deletions of records of the queries' types, whichever
    /// records those were.
    public var records: [WireRecord]
    /// The names of records of the queries' types that have changed, and for which no query holds now.
    public var unmatched: [String]
    /// The point up to which the client has now read; store it together with what the page changed.
    public var syncToken: String
    /// True when another request with ``syncToken`` gives more. A page may be empty and still say so.
    public var moreComing: Bool

    /// An answer.
    public init(records: [WireRecord] = [], unmatched: [String] = [], syncToken: String, moreComing: Bool = false) {
        self.records = records
        self.unmatched = unmatched
        self.syncToken = syncToken
        self.moreComing = moreComing
    }
}

extension QueryChangesResponse: WireObject {
    static var blank: Self { Self(syncToken: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.nonNull("records", &records)
        keys.value("unmatched", &unmatched, if: !unmatched.isEmpty)
        keys.opaque("syncToken", &syncToken, else: "the changes of queries need a syncToken")
        keys.value("moreComing", &moreComing)
    }
}
