/// Body of the answer of `records/query`.
package struct RecordsQueryResponse: Sendable, Hashable {
    /// The records in the order of the query. The list may be empty although more records follow.
    package var records: [RecordResult]
    /// The marker for the next request of the same query; nil after the last record.
    package var continuationMarker: String?
    /// The zone's token, if the request asked for it.
    package var syncToken: String?

    package init(records: [RecordResult], continuationMarker: String? = nil, syncToken: String? = nil) {
        self.records = records
        self.continuationMarker = continuationMarker
        self.syncToken = syncToken
    }
}

extension RecordsQueryResponse: WireObject {
    static var blank: Self { Self(records: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.nonNull("records", &records)
        keys.opaque("continuationMarker", &continuationMarker)
        keys.opaque("syncToken", &syncToken)
    }
}
