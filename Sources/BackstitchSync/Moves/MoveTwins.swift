import Backstitch
import CloudWire

/// Decides about objects with two records of this user, each in another zone. A zone was lost and filled again, or a
/// device has begun a move on another server and is gone. Both records may be edited.
///
/// If the program wants a zone for the object, the object goes there. Otherwise it goes to the zone of the younger
/// record. Its values are those on this device. Every device decides so, and the server accepts one of them, since each
/// step names a change tag. Different values of the other record are reported as a conflict.
struct MoveTwins {
    /// The settings of each zone of the store, by its number.
    let settings: [Int64: ApplySettings]
    private(set) var applied = AppliedChanges()

    init(settings: [Int64: ApplySettings]) { self.settings = settings }

    /// - Parameter other: The record in the object's own zone, as the server has it now; nil if it has none.
    /// - Parameter journal: The journal of the whole store.
    /// - Returns: Whether something was decided. If not, the object's zone has unread news of it.
    mutating func settle(
        _ twin: MoveArrivals.Twin, _ other: WireRecord?, in journal: any JournalWriting
    ) throws -> Bool {
        let id = twin.objectID, subject = ZonedKey(zone: twin.zone, key: id.key)
        guard let record = try unchangedRecord(of: twin, in: journal), let other, other.recordChangeTag == twin.tag
        else { return false }
        guard let differing = try differences(of: record, twin, in: journal) else {
            let reason = MoveNote.unexplainedReason(id)
            applied.parked.append(
                ParkedRecord(
                    recordName: record.recordName, recordType: record.recordType, reason: reason, keyID: nil))
            let state = MoveNote.State.second(name: record.recordName, since: nil, isTold: true)
            try journal.setMove(of: subject, to: MoveNote(entityName: id.entityName, state: state))
            return true
        }
        if !differing.isEmpty {
            var conflict = SyncConflict(objectID: id, kind: .edits, keys: differing, winner: .client)
            conflict.serverDate = record.modificationDate
            applied.conflicts.append(conflict)
        }
        let own = ZoneWriter(journal, twin.zone)
        var parked = try ParkedRecords(own)
        try parked.remove(record.recordName, from: own)
        try parked.writeCount(to: own)
        try journal.setMove(of: subject, to: nil)
        let copy = MovedCopy(zone: twin.zone, tag: twin.otherTag ?? "")
        let former = ZonedKey(zone: twin.place, key: id.key)
        var wanted = try journal.move(of: former)?.wanted
        let isYounger = (record.created?.timestamp ?? 0, twin.zone) > (other.created?.timestamp ?? 0, twin.place)
        if (wanted?.to ?? twin.wanted).map({ $0 == twin.zone }) ?? isYounger {
            wanted = wanted ?? WantedMove(to: twin.zone)
            wanted?.copy = copy
            if let wanted {
                try journal.setMove(of: former, to: MoveNote(entityName: id.entityName, state: .wanted(wanted)))
            }
        } else {
            try journal.leave(copy, of: id)
        }
        applied.mayMove = true
        return true
    }

    /// The parked record, if both records are still the known ones.
    private func unchangedRecord(
        of twin: MoveArrivals.Twin, in journal: any JournalReading
    ) throws -> WireRecord? {
        let key = twin.objectID.key
        guard try journal.zones(of: [key])[key] ?? 0 == twin.place,
            try journal.recordStates(for: [key])[key]?.changeTag == twin.tag,
            try journal.move(of: ZonedKey(zone: twin.place, key: key))?.gone == nil,
            try journal.outbox(for: [key])[key]?.kind != .delete
        else { return nil }
        let parked = try ZoneReader(journal, twin.zone).note(.parked, of: twin.otherName)?.record
        return parked?.recordChangeTag == twin.otherTag ? parked : nil
    }

    /// The properties whose contents differ between a parked record and its object. Nil if the record cannot be read,
    /// or the object is not here.
    private func differences(
        of record: WireRecord, _ twin: MoveArrivals.Twin, in journal: any JournalWriting
    ) throws -> [String]? {
        let key = twin.objectID.key
        guard let settings = settings[twin.zone],
            let entity = settings.model.entity(named: twin.objectID.entityName),
            let local = try LocalImages(of: [key], entity, from: journal)[key]
        else { return nil }
        let decoded: RecordDecoder.Decoded
        switch Result(catching: { () throws(RecordFault) in
            try RecordDecoder(settings).decode(record, as: entity)
        }) {
        case .success(let read): decoded = read
        case .failure(let fault):
            if case .unasked(let id)? = fault.key, let ring = settings.ring { throw UnaskedKey(id: id, ring: ring) }
            return nil
        }
        let theirs = decoded.image(key: key, of: entity, keeping: local)
        return entity.entity.syncedProperties.filter { property in
            entity.sends(property) && local.content(of: property) != theirs.content(of: property)
        }.map(\.name).sorted()
    }
}
