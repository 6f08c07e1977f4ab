public import Backstitch
public import Foundation

/// One object was changed here and on the server, and the changes could not both stay.
public struct SyncConflict: Sendable, Hashable {
    /// A side of a conflict.
    public enum Side: String, Sendable, Hashable {
        /// The server's version.
        case server
        /// The version of this store.
        case client
        /// Neither: a value that a resolver made (see ``ConflictResolvers``).
        case resolver
        /// Both: the server's version is in the object, and this store's in a copy of it (``SyncConflict/copy``).
        case both
    }

    /// The kinds of conflicts, by what the two sides had done.
    public enum Kind: String, Sendable, Hashable {
        /// Both changed the same properties to different values.
        case edits
        /// The server's record is gone, the object here was changed.
        case editedHereDeletedThere
        /// The object here is gone, the server's record was changed.
        case deletedHereEditedThere
    }

    /// The object.
    public var objectID: ObjectID
    /// The kind of conflict.
    public var kind: Kind
    /// The properties on which they differed, in order of names; of a deletion, those that had been changed here.
    public var keys: [String]
    /// The side whose change stayed. The other is lost, unless both stay.
    public var winner: Side
    /// The new object that has what this store had, where a resolver has decided for both sides.
    public var copy: ObjectID?
    /// When the properties were last saved here, by this device's clock; nil where history does not tell any more.
    public var localDate: Date?
    /// When the server's record was last changed, by the server's clock; nil for one that is gone, and where the server
    /// does not say.
    public var serverDate: Date?

    /// A conflict.
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
