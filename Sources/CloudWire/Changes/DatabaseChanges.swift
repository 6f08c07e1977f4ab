/// Body of `changes/database` and of its older form `zones/changes`.
public struct DatabaseChangesRequest: Sendable, Hashable {
    /// The point up to which the client has read; nil for everything. An empty token counts as none.
    public var syncToken: String?
    /// Most zones to answer.
    public var resultsLimit: Int?

    /// A request for the zones that changed after a token.
    public init(syncToken: String? = nil, resultsLimit: Int? = nil) {
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
    }
}

/// The zones that changed.
public struct DatabaseChangesResponse: Sendable, Hashable {
    /// The zones; a deleted one has ``ZoneInfo/deleted``.
    public var zones: [ZoneResult]
    /// True when another request with ``syncToken`` gives more.
    public var moreComing: Bool
    /// The point up to which the client has now read.
    public var syncToken: String?
    /// Repeats the token under the key of the older endpoint.
    package var writesMetaSyncToken = false

    /// An answer.
    public init(zones: [ZoneResult], moreComing: Bool, syncToken: String?) {
        self.zones = zones
        self.moreComing = moreComing
        self.syncToken = syncToken
    }
}

extension DatabaseChangesRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optionalString("syncToken", syncToken)
        writer.optionalInt("resultsLimit", resultsLimit)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> DatabaseChangesRequest {
        var request = DatabaseChangesRequest()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "syncToken", "metaSyncToken":
                request.syncToken = try reader.readStringOrNull().flatMap { $0.isEmpty ? nil : $0 } ?? request.syncToken
            case "resultsLimit": request.resultsLimit = try reader.readCountOrNull()
            default: try reader.skip()
            }
        }
        return request
    }
}

extension DatabaseChangesResponse: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("zones", zones)
        writer.key("moreComing")
        writer.bool(moreComing)
        writer.optionalString("syncToken", syncToken)
        if writesMetaSyncToken { writer.optionalString("metaSyncToken", syncToken) }
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> DatabaseChangesResponse {
        var response = DatabaseChangesResponse(zones: [], moreComing: false, syncToken: nil)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zones": response.zones = try reader.readArray(of: ZoneResult.self)
            case "moreComing": response.moreComing = try reader.readBoolOrNull() ?? false
            case "syncToken", "metaSyncToken":
                response.syncToken = try reader.readStringOrNull() ?? response.syncToken
            default: try reader.skip()
            }
        }
        return response
    }
}
