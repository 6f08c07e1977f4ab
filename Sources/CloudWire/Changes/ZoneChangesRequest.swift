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

        /// A question about a zone.
        public init(
            zoneID: ZoneID, syncToken: String? = nil, desiredKeys: [String]? = nil,
            desiredRecordTypes: [String]? = nil, reverse: Bool? = nil
        ) {
            self.zoneID = zoneID
            self.syncToken = syncToken
            self.desiredKeys = desiredKeys
            self.desiredRecordTypes = desiredRecordTypes
            self.reverse = reverse
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

extension ZoneChangesRequest.Zone: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zoneID")
        zoneID.write(to: &writer)
        writer.optionalString("syncToken", syncToken)
        writer.optionalStrings("desiredKeys", desiredKeys)
        writer.optionalStrings("desiredRecordTypes", desiredRecordTypes)
        writer.optionalBool("reverse", reverse)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZoneChangesRequest.Zone {
        var zoneID: ZoneID?
        var zone = ZoneChangesRequest.Zone(zoneID: ZoneID(zoneName: ""))
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
            case "syncToken": zone.syncToken = try reader.readStringOrNull().flatMap { $0.isEmpty ? nil : $0 }
            case "desiredKeys": zone.desiredKeys = try reader.readStringsOrNull()
            case "desiredRecordTypes": zone.desiredRecordTypes = try reader.readStringsOrNull()
            case "reverse": zone.reverse = try reader.readBoolOrNull()
            default: try reader.skip()
            }
        }
        guard let zoneID else { throw reader.wrongValue("a zone needs a zoneID") }
        zone.zoneID = zoneID
        return zone
    }
}

extension ZoneChangesRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("zones", zones)
        writer.optionalInt("resultsLimit", resultsLimit)
        writer.optionalStrings("desiredKeys", desiredKeys)
        writer.optionalStrings("desiredRecordTypes", desiredRecordTypes)
        if numbersAsStrings { writer.optionalBool("numbersAsStrings", true) }
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZoneChangesRequest {
        var request = ZoneChangesRequest(zones: [])
        var hasZones = false
        var reverse: Bool?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zones":
                request.zones = try reader.readArray(of: Zone.self)
                hasZones = true
            case "resultsLimit": request.resultsLimit = try reader.readCountOrNull()
            case "desiredKeys": request.desiredKeys = try reader.readStringsOrNull()
            case "desiredRecordTypes": request.desiredRecordTypes = try reader.readStringsOrNull()
            case "reverse": reverse = try reader.readBoolOrNull()
            case "numbersAsStrings", "numberAsStrings":
                request.numbersAsStrings = try reader.readBoolOrNull() ?? false
            default: try reader.skip()
            }
        }
        guard hasZones else { throw reader.wrongValue("changes/zone needs zones") }
        for index in request.zones.indices {
            request.zones[index].desiredKeys = request.zones[index].desiredKeys ?? request.desiredKeys
            request.zones[index].desiredRecordTypes =
                request.zones[index].desiredRecordTypes ?? request.desiredRecordTypes
            request.zones[index].reverse = request.zones[index].reverse ?? reverse
        }
        return request
    }
}
