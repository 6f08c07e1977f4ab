import Foundation

/// The unsent changes of one object, coalesced.
///
/// A save with transaction number `n` changes the object's entry so:
/// - *inserted*: an insert entry with sequence `n`. (Inserted again after a delete entry: an update entry of every
///   column, with the delete entry's bases or else null, since the record exists on the server.)
/// - *updated* or *owned links changed*: a new entry is an update; each changed property gets a field with sequence
///   `n`, whose base is the value before the save. A field that is there already keeps its base and takes sequence `n`.
///   An insert entry stays an insert and collects fields likewise.
/// - *deleted*: a delete entry with sequence `n` and a field for each column and each relationship whose links the
///   object owns, with sequence `n`. Its base is that of the former entry's field, else the content before the save,
///   both times as a digest (``Base/digested``): by it sync tells whether others have edited the record since. But an
///   insert entry whose first sequence lies above the metadata value ``attemptedKey`` (`"sync.attempted"`: an `Int64`
///   as 8 bytes little-endian; absent = 0) was never sent, and is removed.
/// - In each case `sequence` becomes `n`, and `blockedReason` nil; but ``heldReason`` after a save that is held
///   (``SaveChangesRequest/isHeld``) and found no entry, or one that was held too. An insert that is held was never
///   sent either, unless its first sequence is 0.
public struct OutboxEntry: Sendable, Hashable {
    /// The kind of change that the entry tells the server.
    public enum Kind: String, Sendable, Hashable {
        /// The object is new.
        case insert
        /// Some of its fields changed.
        case update
        /// It is gone.
        case delete
    }

    /// The changed property of an object.
    public struct Field: Sendable, Hashable {
        /// The property's name.
        public var name: String
        /// The transaction that changed it last.
        public var sequence: Int64
        /// Its value as last known to the server: the merge base.
        public var base: Base

        /// A field.
        public init(name: String, sequence: Int64, base: Base) {
            self.name = name
            self.sequence = sequence
            self.base = base
        }
    }

    /// A property's value at the last agreement with the server.
    public enum Base: Sendable, Hashable {
        /// Of an attribute or to-one relationship.
        case value(Value)
        /// Of a to-many relationship: the targets' keys, rising.
        case links([ObjectKey])
        /// Of a deleted object's property: a short name of the content; see ``digested``.
        case digest(UInt64)
    }

    /// The metadata key of the highest transaction number of which an insert may have reached the server: sync writes
    /// it, and saves read it.
    package static let attemptedKey = "sync.attempted"

    /// The object.
    public var objectID: ObjectID
    /// The kind of change that the entry tells the server.
    public var kind: Kind
    /// The transaction that changed the object last.
    public var sequence: Int64
    /// The transaction that made the entry; 0 for an insert of an object that others may know already, and that is sent
    /// again.
    public var firstSequence: Int64
    /// The changed fields with their bases, by name; for an insert those changed after it, for a deletion all.
    public var fields: [Field]
    /// Why the server will not have it; nil unless it is in quarantine.
    public var blockedReason: String?
    /// The ``blockedReason`` of changes that stay on this device, because of their author or context.
    public static let heldReason =
        "it was saved by an author whose saves stay on this device (options syncAuthors and syncContextNames)"
    /// Whether it stays on this device, because of its author or context.
    public var isHeld: Bool { blockedReason == Self.heldReason }

    /// Lets a change that was blocked be sent again. One that is held stays so.
    package mutating func unblock() {
        if !isHeld { blockedReason = nil }
    }

    /// It, let go again.
    package var unblocked: OutboxEntry {
        var entry = self
        entry.unblock()
        return entry
    }

    /// An entry.
    public init(
        objectID: ObjectID, kind: Kind, sequence: Int64, firstSequence: Int64, fields: [Field] = [],
        blockedReason: String? = nil
    ) {
        self.objectID = objectID
        self.kind = kind
        self.sequence = sequence
        self.firstSequence = firstSequence
        self.fields = fields
        self.blockedReason = blockedReason
    }
}
