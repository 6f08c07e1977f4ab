public import Backstitch
public import Foundation

/// A conflict that was decided: one object was changed here and on the server, and both changes could not stay.
public struct SyncConflict: Sendable, Hashable {
    /// A side of a conflict.
    public enum Side: String, Sendable, Hashable {
        /// The version of the server.
        case server
        /// The version of this store.
        case client
        /// Neither side: the value comes from a resolver (see ``ConflictResolvers``).
        case resolver
        /// Both sides: the object has the server's version, and a copy has this store's (``SyncConflict/copy``).
        case both
    }

    /// The kinds of conflicts: both edited, or one side deleted.
    public enum Kind: String, Sendable, Hashable {
        /// Both changed the same properties to different values.
        case edits
        /// The server's record was deleted, and the object here was changed.
        case editedHereDeletedThere
        /// The object here was deleted, and the server's record was changed.
        case deletedHereEditedThere
    }

    /// The object that was in conflict.
    public var objectID: ObjectID
    /// The kind of conflict.
    public var kind: Kind
    /// The properties with different values, in order of names. For a deletion: the properties that were changed here.
    public var keys: [String]
    /// The side whose change stayed. The other change is lost, unless both stay.
    public var winner: Side
    /// The new object with this store's values, if a resolver decided to keep both sides.
    public var copy: ObjectID?
    /// The time of the last save of these properties here, by this device's clock. Nil if history no longer has it.
    public var localDate: Date?
    /// The time of the record's last change, by the server's clock. Nil if the record is deleted or the server does not
    /// send it.
    public var serverDate: Date?

    /// Creates a conflict without a copy.
    public init(
        objectID: ObjectID, kind: Kind, keys: [String], winner: Side, localDate: Date? = nil, serverDate: Date? = nil
    ) {
        self.objectID = objectID
        self.kind = kind
        self.keys = keys
        self.winner = winner
        self.localDate = localDate
        self.serverDate = serverDate
    }
}
