import Backstitch
import BackstitchSupport
import Foundation

// A store has one journal for all of its zones. Sync works zone by zone, and each step sees, and writes, what is of its
// zone alone: the steps need not know that there are others.

/// A journal as one zone of its store sees it.
///
/// Rows, and what is asked for by the key of an object, are those of the whole store: an object may have been in
/// another zone before.
protocol ZoneScoped: JournalReading {
    /// The number of the zone; 0 for the main one.
    var zone: Int64 { get }
    /// The journal of the whole store.
    var whole: any JournalReading { get }
}

/// A zone's part of a journal, for reading.
struct ZoneReader: ZoneScoped {
    let whole: any JournalReading
    let zone: Int64

    init(_ journal: any JournalReading, _ zone: Int64) { (whole, self.zone) = (journal, zone) }
}

/// A zone's part of a journal, for writing. Records and unsent changes that are written are of the zone from then on.
struct ZoneWriter: ZoneScoped, JournalWriting {
    let writing: any JournalWriting
    let zone: Int64
    var whole: any JournalReading { writing }

    init(_ journal: any JournalWriting, _ zone: Int64) { (writing, self.zone) = (journal, zone) }
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
        // Of the main zone nothing says which objects are in it but that they are in no other.
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

    /// Those of some keys whose objects are in the zone.
    private func own(_ keys: [ObjectKey]) throws -> [ObjectKey] {
        let zones = try whole.zones(of: keys)
        return keys.filter { zones[$0] ?? 0 == zone }
    }

    /// The key under which the store has a zone's metadata. The main zone's have no mark, as in stores of one zone.
    fileprivate func name(of key: String) -> String {
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
}

extension ZoneWriter {
    func putRecordStates(_ states: [RecordState]) throws {
        try writing.putRecordStates(states)
        try writing.setZone(zone, of: states.map(\.objectID.key))
    }

    func putOutbox(_ entries: [OutboxEntry]) throws {
        try writing.putOutbox(entries)
        try writing.setZone(zone, of: entries.map(\.objectID.key))
    }

    func setMetadata(_ value: Data?, for key: String) throws { try writing.setMetadata(value, for: name(of: key)) }

    // MARK: The same for all zones

    func upsert(_ rows: RowBatch) throws { try writing.upsert(rows) }
    func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws { try writing.delete(keys, of: entity) }
    func change(_ links: LinkChange) throws { try writing.change(links) }
    func removeOutbox(_ keys: [ObjectKey]) throws { try writing.removeOutbox(keys) }
    func removeRecordStates(_ keys: [ObjectKey]) throws { try writing.removeRecordStates(keys) }
    func raiseTransactionNumber(to number: Int64) throws { try writing.raiseTransactionNumber(to: number) }

    func purgeHistory(through number: Int64, before date: Date) throws -> Int {
        try writing.purgeHistory(through: number, before: date)
    }

    func putZone(_ number: Int64, named name: String) throws { try writing.putZone(number, named: name) }
    func removeZone(_ number: Int64) throws { try writing.removeZone(number) }
    func setZone(_ zone: Int64, of keys: [ObjectKey]) throws { try writing.setZone(zone, of: keys) }
    func setReadOnly(_ isReadOnly: Bool, zone: Int64) throws { try writing.setReadOnly(isReadOnly, zone: zone) }

    func setSharedRoots(_ roots: SharedRoots?, zone: Int64) throws {
        try writing.setSharedRoots(roots, zone: zone)
    }
}

/// A store as one of its zones sees it.
final class ZoneStore: JournalLayer {
    static let typeName = "Zone"

    let journalBase: any JournalingStore
    private let zone: Int64

    init(_ store: any JournalingStore, zone: Int64) { (journalBase, self.zone) = (store, zone) }

    init(_ configuration: StoreConfiguration) throws {
        throw BackstitchError(.invalidRequest, "a zone is a part of a synced store, and no store that can be opened")
    }

    func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        try journalBase.readJournal { try body(ZoneReader($0, zone)) }
    }

    func writeJournal<Result>(author: String, _ body: (any JournalWriting) throws -> Result) throws -> Result {
        try journalBase.writeJournal(author: author) { try body(ZoneWriter($0, zone)) }
    }
}
