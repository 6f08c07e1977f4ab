/// Body of the answer of `changes/query`.
public struct QueryChangesResponse: Sendable, Hashable {
    /// Present records that match a query, and deletions. All deletions of the queries' types are reported, even those
    /// of records that did not match before.
    public var records: [WireRecord]
    /// The names of changed records of the queries' types that match no query now.
    public var unmatched: [String]
    /// The end of the client's read. Store it together with the changes of the page.
    public var syncToken: String
    /// True if another request with ``syncToken`` returns more. This is possible even for an empty page.
    public var moreComing: Bool

    /// Creates an answer from its parts.
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
