import Backstitch
import BackstitchSupport
import Foundation

/// A journal, limited to one zone of its store.
///
/// Rows, and look-ups by an object's key, still cover the whole store: an object may have been in another zone before.
protocol ZoneScoped: JournalReading {
    /// The number of the zone; 0 for the main one.
    var zone: Int64 { get }
    /// The journal of the whole store.
    var whole: any JournalReading { get }
}

extension ZoneScoped {
    func outbox(after sequence: Int64, limit: Int, inZone zone: Int64?) throws -> [OutboxEntry] {
        try whole.outbox(after: sequence, limit: limit, inZone: self.zone)
    }

    func blockedOutbox() throws -> [OutboxEntry] {
        let entries = try whole.blockedOutbox()
        let own = Set(try own(entries.map(\.objectID.key)))
        return entries.filter { own.contains($0.objectID.key) }
    }

    func allKeys(of entity: ResolvedEntity) throws -> [ObjectKey] { try own(whole.allKeys(of: entity)) }

    func allRecordKeys() throws -> [ObjectKey] {
        // The store has no list of the main zone's objects. They are the objects outside all other zones.
        guard zone != 0 else { return try own(whole.allRecordKeys()) }
        return try whole.keys(inZone: zone).parts(of: 1_000).flatMap { part in
            let known = try whole.recordStates(for: Array(part))
            return part.filter { known[$0] != nil }
        }
    }

    func metadata(for key: String) throws -> Data? { try whole.metadata(for: name(of: key)) }

    func metadata(withPrefix prefix: String) throws -> [(key: String, value: Data)] {
        let added = name(of: prefix).count - prefix.count
        return try whole.metadata(withPrefix: name(of: prefix)).map { (String($0.key.dropFirst(added)), $0.value) }
    }

    func metadata(for keys: [String]) throws -> [String: Data] {
        let names = Dictionary(keys.map { (name(of: $0), $0) }, uniquingKeysWith: { $1 })
        var values: [String: Data] = [:]
        for (name, value) in try whole.metadata(for: names.keys.sorted()) { values[names[name] ?? name] = value }
        return values
    }

    func metadata(
        withPrefix prefix: String, after key: String?, limit: Int
    ) throws -> [(key: String, value: Data)] {
        let added = name(of: prefix).count - prefix.count
        return try whole.metadata(withPrefix: name(of: prefix), after: key.map(name(of:)), limit: limit)
            .map { (String($0.key.dropFirst(added)), $0.value) }
    }

    /// The keys of objects in the zone, among the given ones.
    private func own(_ keys: [ObjectKey]) throws -> [ObjectKey] {
        let zones = try whole.zones(of: keys)
        return keys.filter { zones[$0] ?? 0 == zone }
    }

    /// The key of a zone's metadata in the whole store. The main zone's keys have no prefix, as in stores with one
    /// zone.
    func name(of key: String) -> String {
        zone == 0 || !ZoneState.has(key) ? key : ZoneState.prefix(of: zone) + key
    }

    // MARK: The same for all zones

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try whole.rows(of: entity, keys: keys)
    }

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try whole.fetch(request) }

    func links(
        of property: ResolvedProperty, in entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> [ObjectKey: [ObjectKey]] { try whole.links(of: property, in: entity, sources: sources) }

    func outbox(for keys: [ObjectKey]) throws -> [ObjectKey: OutboxEntry] { try whole.outbox(for: keys) }
    func outboxCounts() throws -> (waiting: Int, blocked: Int) { try whole.outboxCounts() }

    func recordStates(for keys: [ObjectKey]) throws -> [ObjectKey: RecordState] {
        try whole.recordStates(for: keys)
    }

    func recordStates(named names: [String]) throws -> [String: RecordState] {
        try whole.recordStates(named: names)
    }

    func lastTransactionNumber() throws -> Int64 { try whole.lastTransactionNumber() }

    func history(after number: Int64, limit: Int) throws -> [PersistentHistoryTransaction] {
        try whole.history(after: number, limit: limit)
    }

    func date(ofTransaction number: Int64) throws -> Date? { try whole.date(ofTransaction: number) }
    func purgedHistoryNumber() throws -> Int64 { try whole.purgedHistoryNumber() }
    func zones() throws -> [Int64: String] { try whole.zones() }
    func name(ofZone zone: Int64) throws -> String? { try whole.name(ofZone: zone) }
    func zones(of keys: [ObjectKey]) throws -> [ObjectKey: Int64] { try whole.zones(of: keys) }
    func keys(inZone zone: Int64) throws -> [ObjectKey] { try whole.keys(inZone: zone) }
    func zonesWithOutbox() throws -> Set<Int64> { try whole.zonesWithOutbox() }
    func readOnlyZones() throws -> Set<Int64> { try whole.readOnlyZones() }
    func sharedRoots() throws -> [Int64: SharedRoots] { try whole.sharedRoots() }
    func creatorRights() throws -> CreatorRights? { try whole.creatorRights() }
    func creators(of keys: [ObjectKey]) throws -> [ObjectKey: String] { try whole.creators(of: keys) }
}
