/// Body of `zones/lookup`. Zones may be given bare or wrapped in a `zoneID`; the bare form is written.
public struct ZonesLookupRequest: Sendable, Hashable {
    /// The zones to look up.
    public var zones: [ZoneID]

    /// Elements that could not be read, by their place in the request. ``zones`` lacks them.
    package var malformed: [Int: MalformedItem<ZoneID>] = [:]

    /// A request for some zones.
    public init(zones: [ZoneID]) {
        self.zones = zones
    }
}

extension ZonesLookupRequest: WireObject {
    static var blank: Self { Self(zones: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.items(
            "zones", &zones, &malformed, named: [[]], else: "zones/lookup needs zones",
            by: ZoneID.readBareOrWrapped)
    }
}

extension ZoneID {
    /// Reads `{"zoneName": …}` or `{"zoneID": {"zoneName": …}}`.
    static func readBareOrWrapped(from reader: inout JSONReader) throws(WireCodingError) -> ZoneID {
        let mark = reader.mark
        var wrapped: ZoneID?
        try reader.readObject { $0.optional("zoneID", &wrapped) }
        if let wrapped { return wrapped }
        reader.rewind(to: mark)
        return try read(from: &reader)
    }
}
