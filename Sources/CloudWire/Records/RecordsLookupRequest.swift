/// Body of `records/lookup`: fetches records by their names.
package struct RecordsLookupRequest: Sendable, Hashable {
    /// One record to look up.
    package struct Item: Sendable, Hashable {
        /// The name of the record.
        package var recordName: String
        /// The fields to return; nil means those of the request.
        package var desiredKeys: [String]?

        /// Creates the description of a record to look up.
        package init(recordName: String, desiredKeys: [String]? = nil) {
            self.recordName = recordName
            self.desiredKeys = desiredKeys
        }
    }

    /// The zone of the records; nil means the default zone.
    package var zoneID: ZoneID?
    /// The records to look up.
    package var records: [Item]
    /// The fields to return; nil for all, empty for none.
    package var desiredKeys: [String]?
    /// Whether the answer writes numbers as strings.
    package var numbersAsStrings: Bool

    /// Elements that could not be read, by their position in the request. ``records`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    package init(
        zoneID: ZoneID? = nil, records: [Item], desiredKeys: [String]? = nil, numbersAsStrings: Bool = false
    ) {
        self.zoneID = zoneID
        self.records = records
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
    }
}

extension RecordsLookupRequest.Item: WireObject {
    static var blank: Self { Self(recordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("recordName", &recordName, else: "a record to look up needs a recordName")
        keys.optional("desiredKeys", &desiredKeys)
    }
}

extension RecordsLookupRequest: WireObject {
    static var blank: Self { Self(records: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("zoneID", &zoneID)
        keys.optional("desiredKeys", &desiredKeys)
        keys.numbersAsStrings(&numbersAsStrings)
        keys.items(
            "records", &records, &malformed, named: [["recordName"]], else: "records/lookup needs records")
    }
}
