/// Body of the answers of `zones/list`, `zones/lookup` and `zones/modify`.
public struct ZonesResponse: Sendable, Hashable {
    /// The zones; for a look-up or modification, in the order of the request.
    public var zones: [ZoneResult]

    /// Creates an answer from its zones.
    public init(zones: [ZoneResult]) {
        self.zones = zones
    }
}

extension ZonesResponse: WireObject {
    static var blank: Self { Self(zones: []) }

    mutating func code(_ keys: inout some KeyCoder) { keys.nonNull("zones", &zones) }
}
