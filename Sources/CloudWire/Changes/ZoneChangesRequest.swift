/// Body of `changes/zone`: the changes of some zones, each after its own token.
public struct ZoneChangesRequest: Sendable, Hashable {
    /// The question about one zone. Options that it leaves out are taken from the request.
    public struct Zone: Sendable, Hashable {
        /// The zone.
        public var zoneID: ZoneID
        /// The point up to which the client has read; nil for everything. An empty token counts as none.
        public var syncToken: String?
        /// Fields to give back; nil for all, empty for none.
        public var desiredKeys: [String]?
        /// Types of records to give back; deletions have no type and come always.
        public var desiredRecordTypes: [String]?
        /// Newest first; for a first look, not for following changes.
        public var reverse: Bool?
        /// Extension: whether the answer tells how many records come after its page; see
        /// ``ZoneChanges/recordsLeft``.
        public var countsRecords: Bool?

        /// A question about a zone.
        public init(
            zoneID: ZoneID, syncToken: String? = nil, desiredKeys: [String]? = nil,
            desiredRecordTypes: [String]? = nil, reverse: Bool? = nil, countsRecords: Bool? = nil
        ) {
            self.zoneID = zoneID
            self.syncToken = syncToken
            self.desiredKeys = desiredKeys
            self.desiredRecordTypes = desiredRecordTypes
            self.reverse = reverse
            self.countsRecords = countsRecords
        }
    }

    /// The zones asked about.
    public var zones: [Zone]
    /// Most records of one zone in the answer; the server may give fewer, and more for a commit that is larger.
    public var resultsLimit: Int?
    /// Fields to give back for zones that do not say.
    public var desiredKeys: [String]?
    /// Types of records to give back for zones that do not say.
    public var desiredRecordTypes: [String]?
    /// Numbers are answered as strings.
    public var numbersAsStrings: Bool

    /// Elements that could not be read, by their place in the request. ``zones`` lacks them.
    package var malformed: [Int: MalformedItem<ZoneID>] = [:]

    /// A request about some zones.
    public init(
        zones: [Zone], resultsLimit: Int? = nil, desiredKeys: [String]? = nil, desiredRecordTypes: [String]? = nil,
        numbersAsStrings: Bool = false
    ) {
        self.zones = zones
        self.resultsLimit = resultsLimit
        self.desiredKeys = desiredKeys
        self.desiredRecordTypes = desiredRecordTypes
        self.numbersAsStrings = numbersAsStrings
    }
}

extension ZoneChangesRequest.Zone: WireObject {
    static var blank: Self { Self(zoneID: .blank) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("zoneID", &zoneID, else: "a zone needs a zoneID")
        keys.token("syncToken", &syncToken)
        keys.optional("desiredKeys", &desiredKeys)
        keys.optional("desiredRecordTypes", &desiredRecordTypes)
        keys.optional("reverse", &reverse)
        keys.optional("countsRecords", &countsRecords)
    }
}

extension ZoneChangesRequest: WireDrafted {
    struct Draft: WireObject {
        var request: ZoneChangesRequest
        /// The order for zones that do not say, for which the request itself has no place.
        var reverse: Bool?

        static var blank: Self { Self(request: ZoneChangesRequest(zones: [])) }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.items(
                "zones", &request.zones, &request.malformed, named: [["zoneID"]], else: "changes/zone needs zones")
            keys.optional("resultsLimit", &request.resultsLimit)
            keys.optional("desiredKeys", &request.desiredKeys)
            keys.optional("desiredRecordTypes", &request.desiredRecordTypes)
            keys.optional("reverse", &reverse)
            keys.numbersAsStrings(&request.numbersAsStrings)
        }
    }

    var draft: Draft { Draft(request: self) }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        self = draft.request
        for index in zones.indices {
            zones[index].desiredKeys = zones[index].desiredKeys ?? desiredKeys
            zones[index].desiredRecordTypes = zones[index].desiredRecordTypes ?? desiredRecordTypes
            zones[index].reverse = zones[index].reverse ?? draft.reverse
        }
    }
}
