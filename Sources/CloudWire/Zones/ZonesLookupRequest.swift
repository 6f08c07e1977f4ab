/// Body of `zones/lookup`. Zones may be given bare or wrapped in a `zoneID`; the bare form is written.
public struct ZonesLookupRequest: Sendable, Hashable {
    /// The zones to look up.
    public var zones: [ZoneID]

    /// A request for some zones.
    public init(zones: [ZoneID]) {
        self.zones = zones
    }
}

extension ZonesLookupRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("zones", zones)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZonesLookupRequest {
        var zones: [ZoneID]?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zones":
                zones = try reader.readArray { (reader) throws(WireCodingError) in
                    try ZoneID.readBareOrWrapped(from: &reader)
                }
            default: try reader.skip()
            }
        }
        guard let zones else { throw reader.wrongValue("zones/lookup needs zones") }
        return ZonesLookupRequest(zones: zones)
    }
}

extension ZoneID {
    /// Reads `{"zoneName": …}` or `{"zoneID": {"zoneName": …}}`.
    static func readBareOrWrapped(from reader: inout JSONReader) throws(WireCodingError) -> ZoneID {
        let mark = reader.mark
        var wrapped: ZoneID?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zoneID": wrapped = try reader.readOrNull(ZoneID.self)
            default: try reader.skip()
            }
        }
        if let wrapped { return wrapped }
        reader.rewind(to: mark)
        return try read(from: &reader)
    }
}
