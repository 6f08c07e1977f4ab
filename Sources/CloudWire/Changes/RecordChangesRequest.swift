/// Body of `records/changes`, the older form of `changes/zone` for one zone.
package struct RecordChangesRequest: Sendable, Hashable {
    /// The question about the zone.
    package var zone: ZoneChangesRequest.Zone
    /// The most records in the answer.
    package var resultsLimit: Int?
    /// Whether the answer writes numbers as strings.
    package var numbersAsStrings: Bool

    package init(zone: ZoneChangesRequest.Zone, resultsLimit: Int? = nil, numbersAsStrings: Bool = false) {
        self.zone = zone
        self.resultsLimit = resultsLimit
        self.numbersAsStrings = numbersAsStrings
    }
}

extension RecordChangesRequest: WireObject {
    static var blank: Self { Self(zone: .blank) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("zoneID", &zone.zoneID, else: "records/changes needs a zoneID")
        keys.token("syncToken", &zone.syncToken)
        keys.optional("desiredKeys", &zone.desiredKeys)
        keys.optional("desiredRecordTypes", &zone.desiredRecordTypes, if: false)
        keys.optional("reverse", &zone.reverse)
        keys.optional("resultsLimit", &resultsLimit)
        keys.numbersAsStrings(&numbersAsStrings)
    }
}
