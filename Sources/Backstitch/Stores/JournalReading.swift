public import Foundation

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
