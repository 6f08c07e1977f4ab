/// Body of `records/changes`, the older form of `changes/zone` for one zone.
public struct RecordChangesRequest: Sendable, Hashable {
    /// The question.
    public var zone: ZoneChangesRequest.Zone
    /// Most records in the answer.
    public var resultsLimit: Int?
    /// Numbers are answered as strings.
    public var numbersAsStrings: Bool

    /// A request about one zone.
    public init(zone: ZoneChangesRequest.Zone, resultsLimit: Int? = nil, numbersAsStrings: Bool = false) {
        self.zone = zone
        self.resultsLimit = resultsLimit
        self.numbersAsStrings = numbersAsStrings
    }
}

/// Body of the answer of `records/changes`.
public struct RecordChangesResponse: Sendable, Hashable {
    /// Records as they are now, and deletions; each record once.
    public var records: [WireRecord]
    /// The point up to which the client has now read.
    public var syncToken: String?
    /// True when another request with ``syncToken`` gives more.
    public var moreComing: Bool

    /// An answer.
    public init(records: [WireRecord], syncToken: String?, moreComing: Bool) {
        self.records = records
        self.syncToken = syncToken
        self.moreComing = moreComing
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

extension RecordChangesResponse: WireObject {
    static var blank: Self { Self(records: [], syncToken: nil, moreComing: false) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("records", &records)
        keys.opaque("syncToken", &syncToken)
        keys.value("moreComing", &moreComing)
    }
}
