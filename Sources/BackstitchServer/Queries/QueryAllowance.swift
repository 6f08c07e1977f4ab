import CloudWire

/// The limits for reading one piece of an index.
struct QueryAllowance: Sendable {
    /// The maximum number of matches.
    var matches: Int
    /// The maximum number of records to look at.
    var looks: Int
    /// The maximum bytes of matches. The first match may exceed it.
    var bytes: Int
    /// The time at which the reading ends.
    var end: ContinuousClock.Instant
}
