public import Backstitch

/// A change that the server does not take, that cannot be sent, or that stays on this device
/// (``Backstitch/StoreOption/syncAuthors``). It waits until it is changed, tried again or discarded; other changes go
/// on.
public struct BlockedChange: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The kind of change that was to be sent to the server.
    public var kind: OutboxEntry.Kind
    /// Why it cannot go.
    public var reason: String

    /// A blocked change.
    public init(objectID: ObjectID, kind: OutboxEntry.Kind, reason: String) {
        self.objectID = objectID
        self.kind = kind
        self.reason = reason
    }
}
