public import Backstitch

/// The sync state of an object; see ``SyncObjects/states(of:)``.
public struct SyncObjectState: Sendable, Hashable {
    /// The state of an object's changes.
    public enum Phase: Sendable, Hashable {
        /// The server has the object as it is here.
        case synced
        /// A change of this kind is pending.
        case pending(OutboxEntry.Kind)
        /// A change of this kind is being sent.
        case uploading(OutboxEntry.Kind)
        /// A change of this kind is blocked: the server rejects it, or it cannot be sent, for the reason given. See
        /// ``SyncBlocked/retry(_:)`` and ``SyncBlocked/discard(_:)``.
        case blocked(OutboxEntry.Kind, reason: String)
        /// The object stays on this device, because of its entity or a rule of the model.
        case local
        /// The store has no such object, and no change of it to send.
        case absent
    }

    /// The state of the object's changes.
    public var phase: Phase
    /// The attributes whose bytes are on the server only, in order of names; see
    /// ``SyncAssets/download(_:of:onProgress:)``.
    public var remoteAssets: [String]
    /// The reason why the server's version of the object is not here: it cannot be read, for example without its
    /// encryption key. See ``SyncBlocked/parkedRecords()``. Nil if it is here.
    public var unreadable: String?

    /// Creates a sync state.
    public init(_ phase: Phase, remoteAssets: [String] = [], unreadable: String? = nil) {
        self.unreadable = unreadable
        self.phase = phase
        self.remoteAssets = remoteAssets
    }
}
