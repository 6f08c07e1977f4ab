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

extension DatabaseChangesRequest: WireObject {
    static var blank: Self { Self() }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.token("syncToken", &syncToken)
        keys.token("metaSyncToken", &syncToken, if: false)
        keys.optional("resultsLimit", &resultsLimit)
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
