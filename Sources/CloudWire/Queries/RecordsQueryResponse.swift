/// Body of the answer of `records/query`.
public struct RecordsQueryResponse: Sendable, Hashable {
    /// The records in the order of the query. The list may be empty although more records follow.
    public var records: [RecordResult]
    /// The marker for the next request of the same query; nil after the last record.
    public var continuationMarker: String?
    /// The zone's token, if the request asked for it.
    public var syncToken: String?

    /// Creates an answer from its records.
    public init(records: [RecordResult], continuationMarker: String? = nil, syncToken: String? = nil) {
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
