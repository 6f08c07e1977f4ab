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

extension RecordChangesRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zoneID")
        zone.zoneID.write(to: &writer)
        writer.optionalString("syncToken", zone.syncToken)
        writer.optionalStrings("desiredKeys", zone.desiredKeys)
        writer.optionalBool("reverse", zone.reverse)
        writer.optionalInt("resultsLimit", resultsLimit)
        if numbersAsStrings { writer.optionalBool("numbersAsStrings", true) }
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordChangesRequest {
        var zoneID: ZoneID?
        var zone = ZoneChangesRequest.Zone(zoneID: ZoneID(zoneName: ""))
        var request = RecordChangesRequest(zone: zone)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
            case "syncToken": zone.syncToken = try reader.readStringOrNull().flatMap { $0.isEmpty ? nil : $0 }
            case "desiredKeys": zone.desiredKeys = try reader.readStringsOrNull()
            case "desiredRecordTypes": zone.desiredRecordTypes = try reader.readStringsOrNull()
            case "reverse": zone.reverse = try reader.readBoolOrNull()
            case "resultsLimit": request.resultsLimit = try reader.readCountOrNull()
            case "numbersAsStrings", "numberAsStrings":
                request.numbersAsStrings = try reader.readBoolOrNull() ?? false
            default: try reader.skip()
            }
        }
        guard let zoneID else { throw reader.wrongValue("records/changes needs a zoneID") }
        zone.zoneID = zoneID
        request.zone = zone
        return request
    }
}

extension RecordChangesResponse: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("records", records)
        writer.optionalString("syncToken", syncToken)
        writer.key("moreComing")
        writer.bool(moreComing)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordChangesResponse {
        var response = RecordChangesResponse(records: [], syncToken: nil, moreComing: false)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "records": response.records = try reader.readArrayOrNull(of: WireRecord.self) ?? []
            case "syncToken": response.syncToken = try reader.readStringOrNull()
            case "moreComing": response.moreComing = try reader.readBoolOrNull() ?? false
            default: try reader.skip()
            }
        }
        return response
    }
}
