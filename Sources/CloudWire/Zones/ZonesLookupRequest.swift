/// Body of `zones/lookup`. Zones may be given bare or inside a `zoneID`; this module writes the bare form.
package struct ZonesLookupRequest: Sendable, Hashable {
    /// The zones to look up.
    package var zones: [ZoneID]

    /// Elements that could not be read, by their position in the request. ``zones`` lacks them.
    package var malformed: [Int: MalformedItem<ZoneID>] = [:]

    package init(zones: [ZoneID]) {
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
    /// Reads a zone in one of two forms: `{"zoneName": …}` or `{"zoneID": {"zoneName": …}}`.
    static func readBareOrWrapped(from reader: inout JSONReader) throws(WireCodingError) -> ZoneID {
        let mark = reader.mark
        var wrapped: ZoneID?
        try reader.readObject { $0.optional("zoneID", &wrapped) }
        if let wrapped { return wrapped }
        reader.rewind(to: mark)
        return try read(from: &reader)
    }
}
