/// How far a cycle has got, over all zones of the store.
///
/// It has sent ``sent`` changes of as many as that and ``SyncStatus/pendingCount`` together. Records that come have no
/// total, since no server of this wire tells how much there is before it was read. Assets have one, in ``transfers``.
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
