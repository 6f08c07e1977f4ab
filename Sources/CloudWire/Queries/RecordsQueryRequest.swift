/// Body of `records/query`: a search for records of one type.
package struct RecordsQueryRequest: Sendable, Hashable {
    /// The zone to search; nil means the default zone, or all zones with ``zoneWide``.
    package var zoneID: ZoneID?
    /// Whether to search all zones of the database. A ``zoneID`` has precedence.
    package var zoneWide: Bool
    /// The query with its filters and order.
    package var query: RecordQuery
    /// The most records in the answer. The server may return fewer.
    package var resultsLimit: Int?
    /// The end of the previous answer; nil for the first request.
    package var continuationMarker: String?
    /// The fields to return; nil for all, empty for none.
    package var desiredKeys: [String]?
    /// Whether the answer writes numbers as strings.
    package var numbersAsStrings: Bool
    /// Whether the answer must have the zone's token, for the state of the search.
    package var getCurrentSyncToken: Bool

    package init(
        zoneID: ZoneID? = nil, zoneWide: Bool = false, query: RecordQuery, resultsLimit: Int? = nil,
        continuationMarker: String? = nil, desiredKeys: [String]? = nil, numbersAsStrings: Bool = false,
        getCurrentSyncToken: Bool = false
    ) {
        self.zoneID = zoneID
        self.zoneWide = zoneWide
        self.query = query
        self.resultsLimit = resultsLimit
        self.continuationMarker = continuationMarker
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
        self.getCurrentSyncToken = getCurrentSyncToken
    }
}

extension RecordsQueryRequest: WireObject {
    static var blank: Self { Self(query: .blank) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("zoneID", &zoneID)
        keys.flag("zoneWide", &zoneWide)
        keys.value("query", &query, else: "records/query needs a query")
        keys.optional("resultsLimit", &resultsLimit)
        keys.token("continuationMarker", &continuationMarker)
        keys.optional("desiredKeys", &desiredKeys)
        keys.numbersAsStrings(&numbersAsStrings)
        keys.flag("getCurrentSyncToken", &getCurrentSyncToken)
    }
}
