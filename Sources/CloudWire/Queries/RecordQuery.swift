/// A query for the records of one type that satisfy all filters.
package struct RecordQuery: Sendable, Hashable {
    /// The type of the records, by its name.
    package var recordType: String
    /// The conditions. A record must satisfy all of them.
    package var filterBy: [QueryFilter]
    /// The order: by the first field, then by the next for equal values, and so on.
    package var sortBy: [QuerySort]

    package init(recordType: String, filterBy: [QueryFilter] = [], sortBy: [QuerySort] = []) {
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
