public import Foundation

/// A store that can be synced: it journals, and lets the sync store read and write rows, outbox and sync state in one
/// transaction.
///
/// The outbox has one entry an object that has unsent changes. A save makes or widens it; see ``OutboxEntry`` for how.
public protocol JournalingStore: PersistentStore {
    /// Runs `body` on one snapshot of the store.
    func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result

    /// Runs `body` in one transaction, which is undone if it throws. Rows that it writes enter history under `author`,
    /// and do not enter the outbox.
    func writeJournal<Result>(author: String, _ body: (any JournalWriting) throws -> Result) throws -> Result

    /// Returns when all that was committed before is on the disk, so that no power cut takes it back.
    ///
    /// Asked before anything leaves for a server, so that a store never knows less of what it has sent than the server
    /// does. Without it, commits are taken to be on the disk when they return.
    func makeDurable() throws

    /// Removes bytes of assets that are on a server too: those that `choose` gives, asked on one snapshot of the store.
    ///
    /// No save is about to name content meanwhile. One that takes bytes to be there, since they are, is over before
    /// `choose` reads, or begins when they are gone, and brings them again. Keep `choose` short: saves wait for it.
    ///
    /// Bytes that other stores may name as well, and those of a store without this request, have no such guard: then
    /// it is a plain removal of what `choose` gives.
    ///
    /// - Returns: Whether it was done; false, without asking `choose`, while somebody is about to name content or reads
    ///   an older state of the store (``PersistentStore/makeSnapshot()``).
    func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool

    /// A lock of that name, which every process that has the store open can ask for; nil where the store has no locks
    /// of its own. Each call gives another one, also in one process.
    ///
    /// - Parameter onLoss: Called, from any thread, when the lock may have gone to another process although nobody has
    ///   released it: a connection broke, for instance. It may be taken again.
    func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) throws -> (any StoreLock)?
}

extension JournalingStore {
    /// Does nothing: each commit is on the disk when it returns.
    public func makeDurable() throws {}

    /// Removes them, and keeps nobody out.
    public func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) throws -> Bool {
        for reference in try readJournal(choose) { try assets.remove(reference) }
        return true
    }
}

/// The reading part of a journal's transaction.
public protocol JournalReading {
    /// The rows with these keys, in any order; keys without a row are left out.
    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch
    /// The rows that a request asks for, as the transaction has left them so far, in its order.
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch
    /// The targets of the links of each source, as the side of `property` sees them; sources without links may be
    /// absent.
    func links(of property: ResolvedProperty, in entity: ResolvedEntity, sources: [ObjectKey]) throws
        -> [ObjectKey: [ObjectKey]]
    /// Keys of all rows of an entity.
    func allKeys(of entity: ResolvedEntity) throws -> [ObjectKey]
    /// Outbox entries that are not blocked, oldest sequence first, after `sequence`: those of objects in a zone, or all
    /// of them when nil.
    func outbox(after sequence: Int64, limit: Int, inZone zone: Int64?) throws -> [OutboxEntry]
    /// The outbox entries of these objects.
    func outbox(for keys: [ObjectKey]) throws -> [ObjectKey: OutboxEntry]
    /// Blocked entries, oldest first.
    func blockedOutbox() throws -> [OutboxEntry]
    /// How many entries wait, and how many are blocked.
    func outboxCounts() throws -> (waiting: Int, blocked: Int)
    /// Returns the states of these objects' records on the server, as far as they are known.
    func recordStates(for keys: [ObjectKey]) throws -> [ObjectKey: RecordState]
    /// The states of records with names that are no UUIDs.
    func recordStates(named names: [String]) throws -> [String: RecordState]
    /// Keys of all objects that have a record state.
    func allRecordKeys() throws -> [ObjectKey]
    /// A value kept by ``JournalWriting/setMetadata(_:for:)``.
    func metadata(for key: String) throws -> Data?
    /// All metadata whose key begins so, in the order of keys.
    func metadata(withPrefix prefix: String) throws -> [(key: String, value: Data)]
    /// The number of the newest history transaction; 0 before the first.
    func lastTransactionNumber() throws -> Int64
    /// History transactions after a number, oldest first, `limit` at most.
    func history(after number: Int64, limit: Int) throws -> [PersistentHistoryTransaction]
    /// When a history transaction was written; nil for one that history does not have. Unless a store knows better, the
    /// transaction is read for it.
    func date(ofTransaction number: Int64) throws -> Date?
    /// The number up to which history was purged; 0 when it is whole.
    func purgedHistoryNumber() throws -> Int64

    // MARK: Zones

    /// The names of the zones that objects may be in beside the main one, which has the number 0, by their numbers.
    func zones() throws -> [Int64: String]
    /// The name of one of them; nil where the store has no such zone, and for the main one. Cheap however many there
    /// are; unless a store knows better, it is looked up in ``zones()``.
    func name(ofZone zone: Int64) throws -> String?
    /// The zones of these objects; those in the main zone are left out.
    func zones(of keys: [ObjectKey]) throws -> [ObjectKey: Int64]
    /// The keys of all objects in a zone that is not the main one, deleted ones included whose deletion is unsent.
    func keys(inZone zone: Int64) throws -> [ObjectKey]
    /// The zones of objects with outbox entries that are not blocked, the main one among them.
    func zonesWithOutbox() throws -> Set<Int64>
    /// The zones in which saves change nothing, the main one among them; none in a store that has no such zones.
    func readOnlyZones() throws -> Set<Int64>
    /// The zones of which their owners share single objects with the user, and these; none in a store that has no such
    /// zones.
    func sharedRoots() throws -> [Int64: SharedRoots]
}

extension JournalReading {
    /// The date of a transaction, which is read for it.
    public func date(ofTransaction number: Int64) throws -> Date? {
        try history(after: number - 1, limit: 1).first.flatMap { $0.number == number ? $0.timestamp : nil }
    }

    /// No zones: for stores that cannot have any.
    public func readOnlyZones() throws -> Set<Int64> { [] }

    /// No such zones: for stores that cannot have any.
    public func sharedRoots() throws -> [Int64: SharedRoots] { [:] }

    /// The name of a zone, looked up among all of them.
    public func name(ofZone zone: Int64) throws -> String? { try zones()[zone] }

    /// Outbox entries that are not blocked, of any zone, oldest sequence first, after `sequence`.
    public func outbox(after sequence: Int64, limit: Int) throws -> [OutboxEntry] {
        try outbox(after: sequence, limit: limit, inZone: nil)
    }
}

/// The writing part of a journal's transaction.
public protocol JournalWriting: JournalReading {
    /// Inserts rows, or replaces the stored ones (their version rises by one; the batch's own versions are ignored). A
    /// row that is stored with the same values keeps its version and enters no history, so that nobody who read it
    /// meets a conflict. Derived attributes of stored rows stay as the store has computed them.
    func upsert(_ rows: RowBatch) throws
    /// Deletes rows and the links that they own; keys without a row are ignored. Links that lead to them stay, as
    /// columns do that name them: they read as nothing, and lead somewhere again when the row comes back.
    func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws
    /// Adds and removes links. Links may lead to rows that are not there yet.
    func change(_ links: LinkChange) throws
    /// Writes entries, replacing those of the same objects.
    func putOutbox(_ entries: [OutboxEntry]) throws
    /// Removes the entries of these objects.
    func removeOutbox(_ keys: [ObjectKey]) throws
    /// Writes record states, replacing those of the same objects.
    func putRecordStates(_ states: [RecordState]) throws
    /// Removes the states of these objects.
    func removeRecordStates(_ keys: [ObjectKey]) throws
    /// Has history go on behind this number, if it is not there yet: for a store that takes over another's content,
    /// whose outbox refers to its numbers.
    func raiseTransactionNumber(to number: Int64) throws
    /// Keeps a value, or removes it when nil.
    func setMetadata(_ value: Data?, for key: String) throws
    /// Deletes history transactions up to a number that are older than a date, beginning with the oldest and stopping
    /// at the first that is not to go; gives how many went.
    func purgeHistory(through number: Int64, before date: Date) throws -> Int

    /// Adds a zone, or gives the one of that number another name. Saves put new objects into it from now on that ask
    /// for it by its name.
    func putZone(_ number: Int64, named name: String) throws
    /// Removes a zone. Objects that are in it count to the main one from now on.
    func removeZone(_ number: Int64) throws
    /// Notes the zone of objects, whether they are there already or not; 0 is the main one.
    func setZone(_ zone: Int64, of keys: [ObjectKey]) throws
    /// Has saves and batch requests that would change something in a zone throw
    /// ``BackstitchError/Code/permissionDenied``, or lets them change it again; 0 is the main one. What a journal's
    /// transaction writes is written all the same.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` where the store cannot do that, as unless it says otherwise.
    func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws
    /// Has saves and batch requests throw ``BackstitchError/Code/permissionDenied`` that change more in a zone than the
    /// rights to these objects allow; nil for a zone whose rights are those of the whole. So long as objects hang on
    /// one that may be written, they may be changed, and new ones added to them; they stay below the shared ones that
    /// they hang on unless these are administered, and these are not deleted and keep their parents. What a journal's
    /// transaction writes is written all the same.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` where the store cannot do that, as unless it says otherwise.
    func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws
}

extension JournalWriting {
    /// Refuses a zone in which saves change nothing: for stores that cannot have any.
    public func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws {
        guard isReadOnly else { return }
        throw BackstitchError(
            .invalidRequest,
            "this type of store has no zones that are only read, so it cannot hold what others share (option syncDatabase)"
        )
    }

    /// Refuses single objects that others share: for stores that cannot have such zones.
    public func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws {
        guard roots != nil else { return }
        throw BackstitchError(
            .invalidRequest,
            "this type of store knows no rights to single objects, so it cannot hold what others share (option syncDatabase)"
        )
    }
}

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

/// The state of an object's record on the server, as far as it is known.
public struct RecordState: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The record's name where it is not the key's UUID; it then comes from elsewhere.
    public var foreignName: String?
    /// The record's change tag; nil when the server has no such record.
    public var changeTag: String?
    /// Fields of the record that this version's model does not have, encoded; nil when there are none.
    public var unknownFields: Data?

    /// A state.
    public init(objectID: ObjectID, foreignName: String? = nil, changeTag: String?, unknownFields: Data? = nil) {
        self.objectID = objectID
        self.foreignName = foreignName
        self.changeTag = changeTag
        self.unknownFields = unknownFields
    }
}
