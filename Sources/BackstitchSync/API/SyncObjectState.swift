public import Backstitch

/// How an object stands with the server; see ``SyncController/objectStates(of:)``.
public struct SyncObjectState: Sendable, Hashable {
    /// Where an object's changes are.
    public enum Phase: Sendable, Hashable {
        /// The server has the object as it is here.
        case synced
        /// A change of this kind waits to be sent.
        case pending(OutboxEntry.Kind)
        /// A change of this kind is on its way.
        case uploading(OutboxEntry.Kind)
        /// The server does not take a change of this kind, or it cannot be sent, for the reason given; see
        /// ``SyncController/retryBlocked(_:)`` and ``SyncController/discardBlocked(_:)``.
        case blocked(OutboxEntry.Kind, reason: String)
        /// The object stays on this device: its entity or a rule of the model says so.
        case local
        /// The store has no such object, and nothing of it to send.
        case absent
    }

    /// Where the object's changes are.
    public var phase: Phase
    /// The attributes whose bytes are on the server only, in order of names; see
    /// ``SyncController/downloadAsset(of:key:onProgress:)``.
    public var remoteAssets: [String]
    /// Why the server's version of the object is not here: it cannot be read, for want of an encryption key for
    /// instance. See ``SyncController/parkedRecords()``. Nil where it is.
    public var unreadable: String?

    /// A state.
    public init(_ phase: Phase, remoteAssets: [String] = [], unreadable: String? = nil) {
        self.unreadable = unreadable
        self.phase = phase
        self.remoteAssets = remoteAssets
    }
}
