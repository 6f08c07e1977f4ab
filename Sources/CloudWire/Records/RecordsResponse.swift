/// Body of the answers of `records/modify` and `records/lookup`: one result for each requested item, in order.
package struct RecordsResponse: Sendable, Hashable {
    /// The results, in the order of the request.
    package var records: [RecordResult]
    /// The zone's token after the request, if the request asked for it.
    package var syncToken: String?

    package init(records: [RecordResult], syncToken: String? = nil) {
        self.records = records
        self.syncToken = syncToken
    }
}

extension RecordsResponse: WireObject {
    static var blank: Self { Self(records: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.nonNull("records", &records)
        keys.opaque("syncToken", &syncToken)
    }
}
