/// Body of the answer of `changes/query`.
package struct QueryChangesResponse: Sendable, Hashable {
    /// Present records that match a query, and deletions. All deletions of the queries' types are reported, even those
    /// of records that did not match before.
    package var records: [WireRecord]
    /// The names of changed records of the queries' types that match no query now.
    package var unmatched: [String]
    /// The end of the client's read. Store it together with the changes of the page.
    package var syncToken: String
    /// True if another request with ``syncToken`` returns more. This is possible even for an empty page.
    package var moreComing: Bool

    package init(records: [WireRecord] = [], unmatched: [String] = [], syncToken: String, moreComing: Bool = false) {
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
