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

extension DatabaseChangesResponse: WireObject {
    static var blank: Self { Self(zones: [], moreComing: false, syncToken: nil) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.nonNull("zones", &zones)
        keys.value("moreComing", &moreComing)
        keys.opaque("syncToken", &syncToken)
        keys.opaque("metaSyncToken", &syncToken, if: writesMetaSyncToken)
    }
}
