import Backstitch
import BackstitchSupport
import Foundation

/// A zone's part of a journal, for writing. Written records and unsent changes belong to the zone from then on.
struct ZoneWriter: ZoneScoped, JournalWriting {
    let writing: any JournalWriting
    let zone: Int64
    var whole: any JournalReading { writing }

    init(_ journal: any JournalWriting, _ zone: Int64) { (writing, self.zone) = (journal, zone) }
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

    func setCreatorRights(_ rights: CreatorRights?) throws { try writing.setCreatorRights(rights) }
    func putCreators(_ creators: [ObjectKey: String]) throws { try writing.putCreators(creators) }
    func removeCreators(_ keys: [ObjectKey]) throws { try writing.removeCreators(keys) }
}
