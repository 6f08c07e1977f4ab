/// The right of one server to remove some content of a storage that several share.
struct RemovalTurn: Sendable {
    /// Milliseconds after which a removal that has not ended is another server's to end: far more than all requests of
    /// one take that fail and are sent again, and than the clocks of servers differ.
    private static let patience: Int64 = 3_600_000

    /// Names the server, until it ends.
    let server: Int64
    /// When it began, by the server's clock.
    let begun: Int64

    /// Removals that have begun before, of whatever server, are nobody's any more.
    var forgotten: Int64 { begun - Self.patience }
}
