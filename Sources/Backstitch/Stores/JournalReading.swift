public import Foundation

/// The reading part of a journal's transaction.
public protocol JournalReading {
    /// Returns the rows with these keys, in any order; keys without a row are left out.
    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch
    /// Returns the rows of a request, in its order, with the changes of the transaction so far.
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch
    /// Returns the targets of each source's links, seen from the side of `property`. Sources without links may be
    /// missing.
    func links(of property: ResolvedProperty, in entity: ResolvedEntity, sources: [ObjectKey]) throws
        -> [ObjectKey: [ObjectKey]]
    /// Returns the keys of all rows of an entity.
    func allKeys(of entity: ResolvedEntity) throws -> [ObjectKey]
    /// Returns outbox entries that are not blocked, in ascending order of sequence, after `sequence`. They are of
    /// objects in a zone, or of all objects if `zone` is nil.
    func outbox(after sequence: Int64, limit: Int, inZone zone: Int64?) throws -> [OutboxEntry]
    /// Returns the outbox entries of these objects.
    func outbox(for keys: [ObjectKey]) throws -> [ObjectKey: OutboxEntry]
    /// Returns the blocked entries, oldest first.
    func blockedOutbox() throws -> [OutboxEntry]
    /// Returns the numbers of pending entries (`waiting`) and of blocked ones.
    func outboxCounts() throws -> (waiting: Int, blocked: Int)
    /// Returns the known states of these objects' records on the server.
    func recordStates(for keys: [ObjectKey]) throws -> [ObjectKey: RecordState]
    /// Returns the states of records with names that are no UUIDs.
    func recordStates(named names: [String]) throws -> [String: RecordState]
    /// Returns the keys of all objects with a record state.
    func allRecordKeys() throws -> [ObjectKey]
    /// Returns a value set by ``JournalWriting/setMetadata(_:for:)``.
    func metadata(for key: String) throws -> Data?
    /// Returns all metadata whose key begins with `prefix`, in the order of keys.
    func metadata(withPrefix prefix: String) throws -> [(key: String, value: Data)]
    /// Returns the metadata of these keys. Keys without a value are left out. By default each key is looked up alone.
    func metadata(for keys: [String]) throws -> [String: Data]
    /// Returns the metadata whose key begins with `prefix`, in the order of keys: those after `key` if it is given, and
    /// `limit` at most. By default all metadata with the prefix is read for it.
    func metadata(withPrefix prefix: String, after key: String?, limit: Int) throws -> [(key: String, value: Data)]
    /// Returns the number of the newest history transaction; 0 before the first.
    func lastTransactionNumber() throws -> Int64
    /// Returns history transactions after a number, oldest first, `limit` at most.
    func history(after number: Int64, limit: Int) throws -> [PersistentHistoryTransaction]
    /// Returns the time of a history transaction; nil if history does not have it. By default the transaction is read
    /// for it.
    func date(ofTransaction number: Int64) throws -> Date?
    /// Returns the number of the last purged history transaction; 0 if history is complete.
    func purgedHistoryNumber() throws -> Int64

    // MARK: Zones

    /// Returns the names of all zones by their numbers, without the main zone, which has the number 0.
    func zones() throws -> [Int64: String]
    /// Returns the name of a zone; nil if the store has no such zone, and for the main one. It should be cheap for any
    /// number of zones; by default it is looked up in ``zones()``.
    func name(ofZone zone: Int64) throws -> String?
    /// Returns the zones of these objects; objects in the main zone are left out.
    func zones(of keys: [ObjectKey]) throws -> [ObjectKey: Int64]
    /// Returns the keys of all objects in a zone other than the main one, including deleted objects whose deletion is
    /// unsent.
    func keys(inZone zone: Int64) throws -> [ObjectKey]
    /// Returns the zones of objects with outbox entries that are not blocked; the main zone may be among them.
    func zonesWithOutbox() throws -> Set<Int64>
    /// Returns the zones that saves must not change; the main zone may be among them. Empty in a store without such
    /// zones.
    func readOnlyZones() throws -> Set<Int64>
    /// Returns the objects shared one by one, for each zone with such objects. Empty in a store without such zones.
    func sharedRoots() throws -> [Int64: SharedRoots]

    // MARK: Creators

    /// Returns the user's rights by the creators of objects; nil in a store without such rights.
    func creatorRights() throws -> CreatorRights?
    /// Returns the record names of the creators of these objects; objects without a known creator are left out.
    func creators(of keys: [ObjectKey]) throws -> [ObjectKey: String]
}

extension JournalReading {
    /// Looks up each key alone.
    public func metadata(for keys: [String]) throws -> [String: Data] {
        var values: [String: Data] = [:]
        for key in keys { values[key] = try metadata(for: key) }
        return values
    }

    /// Reads all metadata with the prefix.
    public func metadata(
        withPrefix prefix: String, after key: String?, limit: Int
    ) throws -> [(key: String, value: Data)] {
        let all = try metadata(withPrefix: prefix)
        // Keys are in the order of their scalars, which is that of their bytes.
        let rest = all.drop { entry in
            key.map { !$0.utf8.lexicographicallyPrecedes(entry.key.utf8) } ?? false
        }
        return Array(rest.prefix(limit))
    }

    /// Reads the transaction for its date.
    public func date(ofTransaction number: Int64) throws -> Date? {
        try history(after: number - 1, limit: 1).first.flatMap { $0.number == number ? $0.timestamp : nil }
    }

    /// No zones: the default for stores without read-only zones.
    public func readOnlyZones() throws -> Set<Int64> { [] }

    /// No zones: the default for stores without zones of single shared objects.
    public func sharedRoots() throws -> [Int64: SharedRoots] { [:] }

    /// No rights: the default for stores without rights by creator.
    public func creatorRights() throws -> CreatorRights? { nil }

    /// No creators: the default for stores without rights by creator.
    public func creators(of keys: [ObjectKey]) throws -> [ObjectKey: String] { [:] }

    /// Looks the name of a zone up among all zones.
    public func name(ofZone zone: Int64) throws -> String? { try zones()[zone] }

    /// Returns outbox entries of all zones that are not blocked, in ascending order of sequence, after `sequence`.
    public func outbox(after sequence: Int64, limit: Int) throws -> [OutboxEntry] {
        try outbox(after: sequence, limit: limit, inZone: nil)
    }
}
