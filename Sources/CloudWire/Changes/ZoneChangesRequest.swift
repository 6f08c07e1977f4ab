/// Body of `changes/zone`: the changes of some zones, each after its own token.
package struct ZoneChangesRequest: Sendable, Hashable {
    /// The question about one zone. Missing options are taken from the request.
    package struct Zone: Sendable, Hashable {
        /// The zone to ask about.
        package var zoneID: ZoneID
        /// The end of the client's last read; nil for everything. An empty token counts as none.
        package var syncToken: String?
        /// The fields to return; nil for all, empty for none.
        package var desiredKeys: [String]?
        /// The types of records to return. Deletions have no type and are always returned.
        package var desiredRecordTypes: [String]?
        /// Newest records first: for a first look, not for following changes.
        package var reverse: Bool?
        /// Extension: whether the answer has the number of records after its page; see ``ZoneChanges/recordsLeft``.
        package var countsRecords: Bool?

        package init(
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

    /// The questions, one for each zone.
    package var zones: [Zone]
    /// The most records of one zone in the answer. The server may return fewer, or more for a larger commit.
    package var resultsLimit: Int?
    /// The fields to return, for zones without their own list.
    package var desiredKeys: [String]?
    /// The types of records to return, for zones without their own list.
    package var desiredRecordTypes: [String]?
    /// Whether the answer writes numbers as strings.
    package var numbersAsStrings: Bool

    /// Elements that could not be read, by their position in the request. ``zones`` lacks them.
    package var malformed: [Int: MalformedItem<ZoneID>] = [:]

    package init(
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
        /// The order for zones without their own. The request itself has no place for it.
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
