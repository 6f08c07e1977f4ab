/// The progress of a cycle, over all zones of the store.
///
/// ```swift
/// if let left = progress.recordsLeft { bar.fraction = Double(progress.received) / Double(progress.received + left) }
/// ```
/// The cycle has sent ``sent`` changes; ``SyncStatus/pendingCount`` more are left. It has received ``received``
/// records; ``recordsLeft`` more are left. Assets are in ``transfers``.
public struct SyncProgress: Sendable, Hashable {
    /// The phase of a cycle.
    public enum Phase: Sendable, Hashable {
        /// The cycle reads changes from the server.
        case pulling
        /// The cycle sends changes to the server.
        case pushing
        /// The cycle downloads assets.
        case assets
    }

    /// The current phase of the cycle.
    public var phase: Phase
    /// The number of records received in this cycle so far.
    public var received: Int
    /// The number of changes that the server has taken in this cycle so far.
    public var sent: Int
    /// Whether the server has announced more records.
    public var moreComing: Bool
    /// The number of records still to be received in the zones that the cycle reads now. It is 0 after the last one,
    /// and nil if the server does not send it. This project's server sends it at the start of a zone, and counts up to
    /// 100,000. It does not for another user's zone if only a part of that is shared.
    public var recordsLeft: Int?
    /// The progress of transfers of assets.
    public var transfers = AssetTransferProgress()

    /// Creates the progress of a cycle.
    public init(phase: Phase, received: Int, sent: Int, moreComing: Bool) {
        self.phase = phase
        self.received = received
        self.sent = sent
        self.moreComing = moreComing
    }
}
