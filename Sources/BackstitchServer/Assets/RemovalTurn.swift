/// The right of one server to remove some content of a storage shared by several servers.
struct RemovalTurn: Sendable {
    /// The milliseconds after which another server may end an unfinished removal.
    ///
    /// It is far longer than all attempts of one turn's requests, and than the differences between the servers' clocks.
    private static let patience: Int64 = 3_600_000

    /// The number of the server. It is new at each start.
    let server: Int64
    /// The beginning of the turn, by the server's clock.
    let begun: Int64

    /// Removals of any server that began before this time are abandoned.
    var forgotten: Int64 { begun - Self.patience }
}
