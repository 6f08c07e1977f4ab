/// How far a cycle has got, over all zones of the store.
///
/// ```swift
/// if let left = progress.recordsLeft { bar.fraction = Double(progress.received) / Double(progress.received + left) }
/// ```
/// It has sent ``sent`` changes of as many as that and ``SyncStatus/pendingCount`` together, and received ``received``
/// records of as many as that and ``recordsLeft``. Assets are in ``transfers``.
public struct SyncProgress: Sendable, Hashable {
    /// The phase of a cycle.
    public enum Phase: Sendable, Hashable {
        /// It reads changes from the server.
        case pulling
        /// It sends changes to the server.
        case pushing
        /// It downloads assets.
        case assets
    }

    /// The phase that the cycle is in.
    public var phase: Phase
    /// Records received in this cycle so far.
    public var received: Int
    /// Changes that the server has taken in this cycle so far.
    public var sent: Int
    /// Whether the server has told that more records come.
    public var moreComing: Bool
    /// Records that are still to come in the zones that the cycle reads now; 0 when it has read them, nil where the
    /// server does not tell. This project's server does when a zone is begun, and counts up to 100,000; but not in a
    /// zone of somebody else's of which the user sees a part.
    public var recordsLeft: Int?
    /// How far transfers of assets have got.
    public var transfers = AssetTransferProgress()

    /// A state of progress.
    public init(phase: Phase, received: Int, sent: Int, moreComing: Bool) {
        self.phase = phase
        self.received = received
        self.sent = sent
        self.moreComing = moreComing
    }
}
