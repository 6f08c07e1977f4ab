/// Body of the answer of `changes/database`: the changed zones.
package struct DatabaseChangesResponse: Sendable, Hashable {
    /// The zones. A deleted zone has ``ZoneInfo/deleted``.
    package var zones: [ZoneResult]
    /// True if another request with ``syncToken`` returns more.
    package var moreComing: Bool
    /// The end of the client's read, for its next request.
    package var syncToken: String?
    /// Repeats the token under the key of the older endpoint.
    package var writesMetaSyncToken = false

    package init(zones: [ZoneResult], moreComing: Bool, syncToken: String?) {
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
