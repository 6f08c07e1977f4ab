/// A page of one zone's changes.
public struct ZoneChanges: Sendable, Hashable {
    /// The zone.
    public var zoneID: ZoneID
    /// The point up to which the client has now read; store it together with what the page changed.
    public var syncToken: String?
    /// True when another request with ``syncToken`` gives more. A page may be empty and still say so.
    public var moreComing: Bool
    /// Records as they are now, and deletions; each record once.
    public var records: [WireRecord]
    /// Extension: names the history of the server's storage. Another one than before in the same life of a zone tells
    /// that the server went back to an earlier state, and may lack what it has acknowledged.
    public var history: String?

    /// A page.
    public init(
        zoneID: ZoneID, syncToken: String?, moreComing: Bool, records: [WireRecord], history: String? = nil
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.moreComing = moreComing
        self.records = records
        self.history = history
    }
}

/// Body of the answer of `changes/zone`.
public struct ZoneChangesResponse: Sendable, Hashable {
    /// The answer about one zone.
    public enum Zone: Sendable, Hashable {
        /// A page of changes.
        case changes(ZoneChanges)
        /// The zone cannot be read; BAD_REQUEST here means that the token cannot be honoured.
        case error(ZoneError)
    }

    /// The answers, in the order of the request.
    public var zones: [Zone]

    /// An answer.
    public init(zones: [Zone]) {
        self.zones = zones
    }
}

extension ZoneChangesResponse.Zone: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .error(let error): error.write(to: &writer)
        case .changes(let changes):
            writer.beginObject()
            writer.key("zoneID")
            changes.zoneID.write(to: &writer)
            writer.optionalString("syncToken", changes.syncToken)
            writer.key("moreComing")
            writer.bool(changes.moreComing)
            writer.array("records", changes.records)
            writer.optionalString("history", changes.history)
            writer.endObject()
        }
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZoneChangesResponse.Zone {
        var zoneID: ZoneID?
        var changes = ZoneChanges(zoneID: ZoneID(zoneName: ""), syncToken: nil, moreComing: false, records: [])
        var keys = ErrorKeys()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
            case "syncToken": changes.syncToken = try reader.readStringOrNull()
            case "moreComing": changes.moreComing = try reader.readBoolOrNull() ?? false
            case "records": changes.records = try reader.readArrayOrNull(of: WireRecord.self) ?? []
            case "history": changes.history = try reader.readStringOrNull()
            default: if try !keys.read(key, from: &reader) { try reader.skip() }
            }
        }
        if let error = keys.error { return .error(ZoneError(zoneID: zoneID, error: error)) }
        guard let zoneID else { throw reader.wrongValue("a zone's changes need a zoneID") }
        changes.zoneID = zoneID
        return .changes(changes)
    }
}

extension ZoneChangesResponse: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("zones", zones)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZoneChangesResponse {
        var response = ZoneChangesResponse(zones: [])
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zones": response.zones = try reader.readArray(of: Zone.self)
            default: try reader.skip()
            }
        }
        return response
    }
}
