/// Body of `records/lookup`.
public struct RecordsLookupRequest: Sendable, Hashable {
    /// One record to look up.
    public struct Item: Sendable, Hashable {
        /// Name of the record.
        public var recordName: String
        /// Fields to give back; nil means those of the request.
        public var desiredKeys: [String]?

        /// A record to look up.
        public init(recordName: String, desiredKeys: [String]? = nil) {
            self.recordName = recordName
            self.desiredKeys = desiredKeys
        }
    }

    /// The zone of the records; nil means the default zone.
    public var zoneID: ZoneID?
    /// The records to look up.
    public var records: [Item]
    /// Fields to give back; nil for all, empty for none.
    public var desiredKeys: [String]?
    /// Numbers are answered as strings.
    public var numbersAsStrings: Bool

    /// A request for records of one zone.
    public init(
        zoneID: ZoneID? = nil, records: [Item], desiredKeys: [String]? = nil, numbersAsStrings: Bool = false
    ) {
        self.zoneID = zoneID
        self.records = records
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
    }
}

extension RecordsLookupRequest.Item: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("recordName")
        writer.string(recordName)
        writer.optionalStrings("desiredKeys", desiredKeys)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordsLookupRequest.Item {
        var name: String?
        var desiredKeys: [String]?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "recordName": name = try reader.readStringOrNull()
            case "desiredKeys": desiredKeys = try reader.readStringsOrNull()
            default: try reader.skip()
            }
        }
        guard let name else { throw reader.wrongValue("a record to look up needs a recordName") }
        return RecordsLookupRequest.Item(recordName: name, desiredKeys: desiredKeys)
    }
}

extension RecordsLookupRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional("zoneID", zoneID)
        writer.optionalStrings("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.optionalBool("numbersAsStrings", true) }
        writer.array("records", records)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> RecordsLookupRequest {
        var request = RecordsLookupRequest(records: [])
        var hasRecords = false
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": request.zoneID = try reader.readOrNull(ZoneID.self)
            case "desiredKeys": request.desiredKeys = try reader.readStringsOrNull()
            case "numbersAsStrings", "numberAsStrings":
                request.numbersAsStrings = try reader.readBoolOrNull() ?? false
            case "records":
                request.records = try reader.readArray(of: Item.self)
                hasRecords = true
            default: try reader.skip()
            }
        }
        guard hasRecords else { throw reader.wrongValue("records/lookup needs records") }
        return request
    }
}
