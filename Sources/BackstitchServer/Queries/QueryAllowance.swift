import CloudWire

/// How much one reading of an index may do.
struct QueryAllowance: Sendable {
    /// Matches after which it stops.
    var matches: Int
    /// Records that it looks at.
    var looks: Int
    /// Bytes of matches, but for the first one.
    var bytes: Int
    /// When it stops.
    var end: ContinuousClock.Instant
}
