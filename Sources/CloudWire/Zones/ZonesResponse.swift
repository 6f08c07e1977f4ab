/// Body of the answers of `zones/list`, `zones/lookup` and `zones/modify`.
public struct ZonesResponse: Sendable, Hashable {
    /// The zones; of a lookup or modification, in the order of the request.
    public var zones: [ZoneResult]

    /// An answer.
    public init(zones: [ZoneResult]) {
        self.zones = zones
    }
}

extension ZonesResponse: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("zones", zones)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ZonesResponse {
        var response = ZonesResponse(zones: [])
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "zones": response.zones = try reader.readArray(of: ZoneResult.self)
            default: try reader.skip()
            }
        }
        return response
    }
}
