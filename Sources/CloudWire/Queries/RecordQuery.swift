/// The records of one type for which all filters hold.
public struct RecordQuery: Sendable, Hashable {
    /// The type of the records.
    public var recordType: String
    /// The conditions, all of which hold.
    public var filterBy: [QueryFilter]
    /// The order: by the first field, then by the next where that is equal, and so on.
    public var sortBy: [QuerySort]

    /// A query.
    public init(recordType: String, filterBy: [QueryFilter] = [], sortBy: [QuerySort] = []) {
        self.recordType = recordType
        self.filterBy = filterBy
        self.sortBy = sortBy
    }
}

extension RecordQuery: WireObject {
    static var blank: Self { Self(recordType: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("recordType", &recordType, else: "a query needs a recordType")
        keys.value("filterBy", &filterBy)
        keys.value("sortBy", &sortBy, if: !sortBy.isEmpty)
    }
}
