import Backstitch
import CloudWire

/// Handles records that arrived in a zone before the news that their objects had left another zone. A record is applied
/// once its move is explained. If all zones were read without an explanation, this type decides about the record.
struct MoveArrivals {
    /// The settings of each zone of the store, by its number.
    let settings: [Int64: ApplySettings]
    let mayMove: Bool

    private(set) var applied = AppliedChanges()
    /// The zones that now have something to send.
    private(set) var unsent: Set<Int64> = []

    init(settings: [Int64: ApplySettings], mayMove: Bool) { (self.settings, self.mayMove) = (settings, mayMove) }

    private struct Arrival {
        let subject: ZonedKey
        let objectID: ObjectID
        let record: WireRecord
        var isTold: Bool
    }

    /// Applies the explained records, and decides about the others.
    ///
    /// - Parameter journal: The journal of the whole store.
    /// - Parameter isOver: Whether all zones were read since the last news of moves in a zone.
    mutating func settle(in journal: any JournalWriting, isOver: (Int64) -> Bool) throws {
        let notes = try MoveNotes(journal)
        guard notes.hasUnexplained else { return }
        let arrivals = try parked(notes, in: journal)
        let keys = arrivals.map(\.subject.key)
        let places = try journal.zones(of: keys), states = try journal.recordStates(for: keys)
        let unsent = try journal.outbox(for: keys)
        var explained: [Int64: [WireRecord]] = [:]
        for arrival in arrivals {
            let key = arrival.subject.key, zone = arrival.subject.zone
            let place = places[key] ?? 0
            let isHere = states[key] != nil || unsent[key] != nil
            let mark = try ownersMark(of: arrival, in: journal)
            let note = notes.objects[ZonedKey(zone: place, key: key)]
            let isRead = isOver(zone)
            if place == zone, isHere, states[key]?.changeTag == nil, unsent[key] != nil, notes.isArriving(key),
                !notes.isEmptied(key)
            {
                // No other device has brought the object here: it left this record here earlier.
                guard isRead else { continue }
                try unpark(arrival, in: journal)
                let record = arrival.record
                try leaveBehind(
                    arrival.objectID, record.recordName, record.recordChangeTag, inZone: zone, in: journal)
                applied.mayMove = true
                continue
            }
            if try !isHere || place == zone || isExplained(arrival, by: note, place, mark, isRead, in: journal) {
                explained[zone, default: []].append(arrival.record)
            } else if isRead, !arrival.isTold {
                let isDeleted = unsent[key]?.kind == .delete
                // The object of a marked record has moved on, or the next reads will show that it has. Nothing is
                // changed here.
                if mark != nil {
                    if isDeleted { try release(arrival, from: place, in: journal) }
                } else if try decide(arrival, place, states[key], isDeleted: isDeleted, in: journal) {
                    explained[zone, default: []].append(arrival.record)
                }
            }
        }
        for (zone, records) in explained.sorted(by: { $0.key < $1.key }) { try bring(records, zone, in: journal) }
    }

    /// Whether the move behind a record is explained:
    ///
    /// - A record without a mark: the object is known to leave its present zone, or to have left it.
    /// - A record with a mark, since the object moves on at once: the object is known to leave for the record's zone.
    /// - Also with a mark, once everything was read: the object already is in the mark's zone, and does not leave it.
    private func isExplained(
        _ arrival: Arrival, by note: MoveNote?, _ place: Int64, _ mark: MoveMark?, _ isRead: Bool,
        in journal: any JournalReading
    ) throws -> Bool {
        guard let mark else { return note?.leads(to: nil) ?? false }
        if let zone = try name(of: arrival.subject.zone, in: journal), note?.leads(to: zone) == true {
            return true
        }
        return try isRead && note?.leads(to: nil) != true && mark.zone == name(of: place, in: journal)
    }

    /// The mark of a record, if the zone's owner set it.
    private func ownersMark(of arrival: Arrival, in journal: any JournalReading) throws -> MoveMark? {
        let user = arrival.record.modified?.userRecordName
        guard let mark = arrival.record.mark, let settings = settings[arrival.subject.zone] else { return nil }
        guard settings.isOfOthers else { return try journal.isOwn(user) ? mark : nil }
        let owner = try journal.name(ofZone: arrival.subject.zone).flatMap {
            settings.names.onServer($0).ownerRecordName
        }
        return user == nil || user == owner ? mark : nil
    }

    /// The waiting records. If a record is no longer parked, its note is removed, and a deletion of its object can be
    /// sent.
    private mutating func parked(_ notes: MoveNotes, in journal: any JournalWriting) throws -> [Arrival] {
        var arrivals: [Arrival] = []
        for (subject, note) in notes.objects.sorted(by: { $0.key.noteName < $1.key.noteName }) {
            guard case .unexplained(let name, let isTold) = note.state else { continue }
            let key = subject.key
            if let record = try ZoneReader(journal, subject.zone).note(.parked, of: name)?.record {
                let id = ObjectID(entityName: note.entityName, key: key)
                arrivals.append(Arrival(subject: subject, objectID: id, record: record, isTold: isTold))
                continue
            }
            try journal.removeNote(.moves, of: subject)
            if try journal.outbox(for: [key])[key]?.kind == .delete {
                unsent.insert(try journal.zones(of: [key])[key] ?? 0)
            }
        }
        return arrivals
    }

    private mutating func bring(_ records: [WireRecord], _ zone: Int64, in journal: any JournalWriting) throws {
        guard let settings = settings[zone] else { return }
        let news = RemoteChange.list(records, zone: settings.zone)
        // The notes go first: an unreadable record is parked for a different reason from now on.
        for item in news { try journal.removeNote(.moves, of: ZonedKey(zone: zone, key: item.key)) }
        var applier = try RemoteChangeApplier(journal: ZoneWriter(journal, zone), settings: settings)
        applier.moves.explained = Set(news.map(\.key))
        let brought = try applier.apply(news)
        if brought.hasUnsent { unsent.insert(zone) }
        // Unsent changes of these objects are held back no longer.
        let left = Array(try journal.outbox(for: news.map(\.key)).keys), places = try journal.zones(of: left)
        unsent.formUnion(left.map { places[$0] ?? 0 })
        applied.add(brought)
    }

    /// Decides about an object with one record in each of two zones:
    ///
    /// - Normally both records are from this user's own devices. All devices then keep the object in the zone whose
    ///   name comes first, with the values of its record there. Different values of the other record are reported as a
    ///   conflict. The other record is deleted.
    /// - If the object was deleted here, and both records are from this user, the deletion is weighed against the
    ///   waiting record.
    /// - In all other cases the object keeps its zone, and the waiting record stays parked. Such a case is a record of
    ///   another user, an object with identifying values, an unreadable record, or an object that is not here.
    ///
    /// - Returns: Whether the object moves to the zone of the waiting record.
    private mutating func decide(
        _ arrival: Arrival, _ place: Int64, _ state: RecordState?, isDeleted: Bool, in journal: any JournalWriting
    ) throws -> Bool {
        let (subject, id, record) = (arrival.subject, arrival.objectID, arrival.record)
        guard mayMove, let here = try name(of: place, in: journal),
            let there = try name(of: subject.zone, in: journal),
            let entity = settings[subject.zone]?.model.entity(named: id.entityName)?.entity,
            !entity.isIdentifiedByValues, try journal.isOwn(record.created?.userRecordName)
        else {
            try tell(arrival, from: place, in: journal)
            return false
        }
        if isDeleted { return true }
        guard let differing = try differences(of: arrival, in: journal) else {
            try tell(arrival, from: place, in: journal)
            return false
        }
        applied.mayMove = true
        if !differing.isEmpty {
            var conflict = SyncConflict(
                objectID: id, kind: .edits, keys: differing, winner: here < there ? .client : .server)
            conflict.serverDate = record.modificationDate
            applied.conflicts.append(conflict)
        }
        guard here < there else {
            try leaveBehind(id, state?.recordName, state?.changeTag, inZone: place, in: journal)
            return true
        }
        try unpark(arrival, in: journal)
        try leaveBehind(id, record.recordName, record.recordChangeTag, inZone: subject.zone, in: journal)
        return false
    }

    /// Reports a record that stays parked.
    private mutating func tell(_ arrival: Arrival, from place: Int64, in journal: any JournalWriting) throws {
        let (id, record) = (arrival.objectID, arrival.record)
        applied.parked.append(
            ParkedRecord(
                recordName: record.recordName, recordType: record.recordType,
                reason: MoveNote.unexplainedReason(id), keyID: nil))
        try release(arrival, from: place, in: journal)
    }

    /// Notes that nothing will explain a record. A deletion of its object is no longer held back for it.
    private mutating func release(_ arrival: Arrival, from place: Int64, in journal: any JournalWriting) throws {
        let state = MoveNote.State.unexplained(name: arrival.record.recordName, isTold: true)
        try journal.setNote(
            .moves, of: arrival.subject, to: MoveNote(entityName: arrival.objectID.entityName, state: state))
        unsent.insert(place)
    }

    /// The properties whose contents differ between a waiting record and its object. Properties with unsent edits are
    /// left out, since they are merged. Nil if the record cannot be read, or the object is not here.
    private func differences(of arrival: Arrival, in journal: any JournalWriting) throws -> [String]? {
        let key = arrival.objectID.key
        guard let settings = settings[arrival.subject.zone],
            let entity = settings.model.entity(named: arrival.objectID.entityName),
            let local = try LocalImages(of: [key], entity, from: journal)[key]
        else { return nil }
        let decoded: RecordDecoder.Decoded
        switch Result(catching: { () throws(RecordFault) in
            try RecordDecoder(settings).decode(arrival.record, as: entity)
        }) {
        case .success(let read): decoded = read
        case .failure(let fault):
            if case .unasked(let id)? = fault.key, let ring = settings.ring { throw UnaskedKey(id: id, ring: ring) }
            return nil
        }
        let theirs = decoded.image(key: key, of: entity, keeping: local)
        let unsent = Set(try journal.outbox(for: [key])[key]?.edits.map(\.name) ?? [])
        return entity.entity.syncedProperties.filter { property in
            entity.sends(property) && !unsent.contains(property.name)
                && local.content(of: property) != theirs.content(of: property)
        }.map(\.name).sorted()
    }

    private func unpark(_ arrival: Arrival, in journal: any JournalWriting) throws {
        let own = ZoneWriter(journal, arrival.subject.zone)
        var parked = try ParkedRecords(own)
        try parked.remove(arrival.record.recordName, from: own)
        try parked.writeCount(to: own)
    }

    /// Queues the deletion of a record whose object is in another zone. If the server has no such record, only the note
    /// is removed.
    private func leaveBehind(
        _ id: ObjectID, _ name: String?, _ tag: String?, inZone zone: Int64, in journal: any JournalWriting
    ) throws {
        let subject = ZonedKey(zone: zone, key: id.key)
        guard let name, let tag else { return try journal.removeNote(.moves, of: subject) }
        try journal.setNote(
            .moves, of: subject,
            to: MoveNote(entityName: id.entityName, state: .formerRecord(nil, name: name, tag: tag)))
    }

    private func name(of zone: Int64, in journal: any JournalReading) throws -> String? {
        try settings[zone].flatMap { try journal.nameOnServer(ofZone: zone, $0.names) }
    }
}

extension JournalReading {
    /// Whether a user is this store's own user. Also true if the user or the account is unknown.
    func isOwn(_ user: String?) throws -> Bool {
        guard let user, let account = try value(of: .account) else { return true }
        return user == account || user == WireStamp.callerName
    }
}
