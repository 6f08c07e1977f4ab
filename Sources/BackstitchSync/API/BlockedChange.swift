public import Backstitch

/// A change that is not sent: the server rejects it, it cannot be sent, or it stays on this device
/// (``Backstitch/StoreOption/syncAuthors``). It waits until it is changed, tried again or discarded. Other changes are
/// still sent.
public struct BlockedChange: Sendable, Hashable {
    /// The object that was changed.
    public var objectID: ObjectID
    /// The kind of change that was to be sent to the server.
    public var kind: OutboxEntry.Kind
    /// The reason why it is not sent.
    public var reason: String

    /// Creates a blocked change.
    public init(objectID: ObjectID, kind: OutboxEntry.Kind, reason: String) {
        self.objectID = objectID
        self.kind = kind
        self.reason = reason
    }
}
