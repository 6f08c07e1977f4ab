/// Body of the answers of `zones/list`, `zones/lookup` and `zones/modify`.
package struct ZonesResponse: Sendable, Hashable {
    /// The zones; for a look-up or modification, in the order of the request.
    package var zones: [ZoneResult]

    package init(zones: [ZoneResult]) {
        self.zones = zones
    }
}

extension ZonesResponse: WireObject {
    static var blank: Self { Self(zones: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.nonNull("zones", &zones) }
}
