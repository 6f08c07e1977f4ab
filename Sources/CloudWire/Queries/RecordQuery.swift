/// A query for the records of one type that satisfy all filters.
public struct RecordQuery: Sendable, Hashable {
    /// The type of the records, by its name.
    public var recordType: String
    /// The conditions. A record must satisfy all of them.
    public var filterBy: [QueryFilter]
    /// The order: by the first field, then by the next for equal values, and so on.
    public var sortBy: [QuerySort]

    /// Creates a query from its parts.
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
