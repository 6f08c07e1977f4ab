public import Backstitch
public import Foundation

/// How a synced store stands: what waits, and whether the server can be reached.
public struct SyncStatus: Sendable {
    /// The present state of a store.
    public enum State: Sendable, Hashable {
        /// Nothing: the last cycle succeeded, or none has run yet.
        case idle
        /// A cycle runs.
        case syncing
        /// The server cannot be reached, or may not be asked (``SyncConnectivity``). The store works; changes wait, and
        /// are sent when the server answers again.
        case offline
        /// The last cycle failed for another reason than the network; the next one is tried later.
        case waiting
        /// The server does not know the user; set new credentials.
        case needsCredentials
        /// The user's allowance on the server is used up. Changes by others still come and deletions made here are
        /// sent; the rest waits, and is tried again by itself (``SyncStatus/nextTry``) until there is room.
        case needsRoom
        /// Sync is paused, by the program or because the program shall say how to go on (``SyncStatus/lastError``
        /// tells).
        case paused
        /// Sync is turned off; see ``SyncController/turnOff()``.
        case off
        /// Another process (or another container of this one) has the store open and syncs it. It sends the changes
        /// that are saved here; changes that it brings show here. This store takes over when the other ends.
        case standby
        /// The store is closed.
        case closed
    }

    /// The present state of the store.
    public var state: State
    /// Objects with changes that the server has not taken yet, without the blocked ones.
    public var pendingCount: Int
    /// Objects whose changes the server does not take; see ``SyncController/blockedChanges()``.
    public var blockedCount: Int
    /// When the server last took changes.
    public var lastPush: Date?
    /// When all that the server had was last read.
    public var lastPull: Date?
    /// Why the last cycle failed; nil when it succeeded.
    public var lastError: BackstitchError?
    /// When the next try is due after a failure.
    public var nextTry: Date?
    /// Whether everything that the server had at the first contact is here.
    public var isFirstSyncComplete: Bool
    /// How far transfers of assets have got; see ``SyncController/transferProgress``.
    public var transfers = AssetTransferProgress()

    /// A status.
    public init(
        state: State, pendingCount: Int = 0, blockedCount: Int = 0, lastPush: Date? = nil, lastPull: Date? = nil,
        lastError: BackstitchError? = nil, nextTry: Date? = nil, isFirstSyncComplete: Bool = false
    ) {
        self.state = state
        self.pendingCount = pendingCount
        self.blockedCount = blockedCount
        self.lastPush = lastPush
        self.lastPull = lastPull
        self.lastError = lastError
        self.nextTry = nextTry
        self.isFirstSyncComplete = isFirstSyncComplete
    }
}
