/// Body of `records/query`.
public struct RecordsQueryRequest: Sendable, Hashable {
    /// The zone to look in; nil means the default zone, or all with ``zoneWide``.
    public var zoneID: ZoneID?
    /// Whether all zones of the database are looked in. A ``zoneID`` is stronger.
    public var zoneWide: Bool
    /// The question.
    public var query: RecordQuery
    /// Most records in the answer; the server may give fewer.
    public var resultsLimit: Int?
    /// Where the answer before this one ended; nil for the first.
    public var continuationMarker: String?
    /// Fields to give back; nil for all, empty for none.
    public var desiredKeys: [String]?
    /// Numbers are answered as strings.
    public var numbersAsStrings: Bool
    /// The answer shall have the zone's token, as of the state that was looked at.
    public var getCurrentSyncToken: Bool

    /// A request.
    public init(
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
