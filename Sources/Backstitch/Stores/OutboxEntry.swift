import Foundation

/// The unsent changes of one object, merged into one entry.
///
/// A save with transaction number `n` changes the object's entry as follows:
/// - *inserted*: an insert entry with sequence `n`. If the object has a delete entry, an update entry of every column
///   replaces it, since the record exists on the server. Its bases are those of the delete entry, or else null.
/// - *updated* or *owned links changed*: a new entry is an update. Each changed property gets a field with sequence `n`
///   and the value before the save as base. An existing field keeps its base and takes sequence `n`. An insert entry
///   stays an insert and collects fields in the same way.
/// - *deleted*: a delete entry with sequence `n`. It has a field with sequence `n` for each column and each
///   relationship whose links the object owns. The base is that of the former entry's field, else the content before
///   the save. Both are kept as a digest (``Base/digested``), which tells sync whether others have edited the record
///   since. An insert entry that was never sent is simply removed. It is one with a first sequence above the metadata
///   value ``attemptedKey`` (`"sync.attempted"`: an `Int64` as 8 bytes little-endian; absent = 0).
/// - In each case `sequence` becomes `n`, and `blockedReason` nil. After a held save (``SaveChangesRequest/isHeld``)
///   the reason is ``heldReason``, if there was no entry or a held one. A held insert was never sent either, unless its
///   first sequence is 0.
public struct OutboxEntry: Sendable, Hashable {
    /// The kind of change for the server.
    public enum Kind: String, Sendable, Hashable {
        /// The object is new.
        case insert
        /// Some of its fields have changed.
        case update
        /// The object was deleted here.
        case delete
    }

    /// The changed property of an object.
    public struct Field: Sendable, Hashable {
        /// The name of the property.
        public var name: String
        /// The number of the last transaction that changed it.
        public var sequence: Int64
        /// The last value known to the server: the merge base.
        public var base: Base

        /// Makes a field with its base.
        public init(name: String, sequence: Int64, base: Base) {
            self.name = name
            self.sequence = sequence
            self.base = base
        }
    }

    /// A property's value at the last agreement with the server.
    public enum Base: Sendable, Hashable {
        /// The value of an attribute or to-one relationship.
        case value(Value)
        /// The links of a to-many relationship: the targets' keys, in ascending order.
        case links([ObjectKey])
        /// The digest of a deleted object's property; see ``digested``.
        case digest(UInt64)
    }

    /// The metadata key for the highest transaction number whose insert may have reached the server. Sync writes it,
    /// and saves read it.
    package static let attemptedKey = "sync.attempted"

    /// The identity of the changed object.
    public var objectID: ObjectID
    /// The kind of change for the server.
    public var kind: Kind
    /// The number of the last transaction that changed the object.
    public var sequence: Int64
    /// The number of the transaction that made the entry. It is 0 for a repeated insert of an object that others may
    /// already know.
    public var firstSequence: Int64
    /// The changed fields with their bases, by name. An insert has the fields changed after it, a deletion has all
    /// fields.
    public var fields: [Field]
    /// The reason why the change is blocked; nil if it is not blocked.
    public var blockedReason: String?
    /// The ``blockedReason`` of changes that stay on this device, because of their author or context.
    public static let heldReason =
        "it was saved by an author whose saves stay on this device (options syncAuthors and syncContextNames)"
    /// Whether the change stays on this device, because of its author or context.
    public var isHeld: Bool { blockedReason == Self.heldReason }

    /// Unblocks the change, so that it is sent again. A held change stays held.
    package mutating func unblock() {
        if !isHeld { blockedReason = nil }
    }

    /// A copy of the entry, unblocked.
    package var unblocked: OutboxEntry {
        var entry = self
        entry.unblock()
        return entry
    }

    /// Makes an entry for an object.
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
