public import Backstitch
public import Foundation

/// The status of a synced store: its pending changes, and whether the server can be reached.
public struct SyncStatus: Sendable {
    /// The present state of a store.
    public enum State: Sendable, Hashable {
        /// No cycle runs: the last one succeeded, or none has run yet.
        case idle
        /// A cycle is running.
        case syncing
        /// The server cannot be reached, or may not be asked (``SyncConnectivity``). The store works; changes wait, and
        /// are sent when the server answers again.
        case offline
        /// The last cycle failed for another reason than the network; the next one is tried later.
        case waiting
        /// The server does not know the user; set new credentials.
        case needsCredentials
        /// The user's quota on the server is used up. Changes by others are still received, and deletions made here are
        /// sent. The other changes wait, and are tried again automatically (``SyncStatus/nextTry``) until there is
        /// room.
        case needsRoom
        /// Sync is paused: by the program, or until the program decides how to continue (see ``SyncStatus/lastError``).
        case paused
        /// Sync is turned off; see ``SyncController/turnOff()``.
        case off
        /// Another process, or another container of this one, has the store open and syncs it. It sends the changes
        /// that are saved here; the changes that it receives show here. This store takes over when the other closes.
        case standby
        /// The store is closed.
        case closed
    }

    /// The present state of the store.
    public var state: State
    /// The number of objects with pending changes; blocked ones are not counted.
    public var pendingCount: Int
    /// The number of objects with blocked changes; see ``SyncBlocked/changes()``.
    public var blockedCount: Int
    /// The time when the server last took changes.
    public var lastPush: Date?
    /// The time when all changes of the server were last read.
    public var lastPull: Date?
    /// The error of the last cycle; nil if it succeeded.
    public var lastError: BackstitchError?
    /// The time of the next try after a failure.
    public var nextTry: Date?
    /// Whether everything that the server had at the first contact is here.
    public var isFirstSyncComplete: Bool
    /// The progress of transfers of assets; see ``SyncAssets/progress``.
    public var transfers = AssetTransferProgress()

    /// Creates a status of a store.
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
