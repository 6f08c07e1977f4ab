/// Body of the answer of `records/query`.
public struct RecordsQueryResponse: Sendable, Hashable {
    /// The records in the order of the query. There may be none although more follow.
    public var records: [RecordResult]
    /// The mark that the next request of the same query gives back; nil when this was all.
    public var continuationMarker: String?
    /// The zone's token, when the request asked for it.
    public var syncToken: String?

    /// An answer.
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
