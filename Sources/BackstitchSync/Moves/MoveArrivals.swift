import Backstitch
import CloudWire

/// Handles parked records of objects in other zones. A record is applied once it is explained. If all zones were read
/// without an explanation, this type decides about the record, or asks for the object's other record.
struct MoveArrivals {
    /// The settings of each zone of the store, by its number.
    let settings: [Int64: ApplySettings]
    let mayMove: Bool
    /// The time that another device has to delete the object's former record, in milliseconds, and the present time. On
    /// a server with requests for several zones there is no such wait.
    let patience: Int64
    let now: Int64

    private(set) var applied = AppliedChanges()
    /// The zones that now have something to send.
    private(set) var unsent: Set<Int64> = []
    /// Objects with two records. The server is to be asked which of them is younger.
    private(set) var twins: [Twin] = []
    /// Milliseconds until more can be decided; nil if nothing waits.
    private(set) var wait: Int64?

    init(settings: [Int64: ApplySettings], mayMove: Bool, patience: Int64, now: Int64) {
        (self.settings, self.mayMove, self.patience, self.now) = (settings, mayMove, patience, now)
    }

    /// An object with a record in its zone, and a parked one in another zone.
    struct Twin: Sendable {
        let objectID: ObjectID
        /// The number of the object's zone, with the name and the tag of its record there.
        let place: Int64
        let recordName: String
        let tag: String
        /// The number of the other zone, and its record.
        let zone: Int64
        let record: WireRecord
    }

    private struct Arrival {
        let subject: ZonedKey
        let objectID: ObjectID
        let record: WireRecord
        let since: Int64?
        var isTold: Bool
    }

    /// Applies the explained records, and decides about the others.
    ///
    /// - Parameter journal: The journal of the whole store.
    /// - Parameter isOver: Whether all zones were read since the last news of moves in a zone.
    mutating func settle(in journal: any JournalWriting, isOver: (Int64) -> Bool) throws {
        let notes = try MoveNotes(journal)
        guard notes.hasSecond else { return }
        let arrivals = try parked(notes, in: journal)
        let keys = arrivals.map(\.subject.key)
        let places = try journal.zones(of: keys), states = try journal.recordStates(for: keys)
        let unsent = try journal.outbox(for: keys)
        var explained: [Int64: [WireRecord]] = [:]
        for arrival in arrivals {
            let key = arrival.subject.key, place = places[key] ?? 0
            guard states[key] != nil || unsent[key] != nil, place != arrival.subject.zone else {
                explained[arrival.subject.zone, default: []].append(arrival.record)
                continue
            }
            let note = notes.objects[ZonedKey(zone: place, key: key)]
            let isExplained: Bool
            if let gone = note?.gone {
                isExplained = try isArrival(arrival, of: gone, in: journal)
            } else {
                isExplained = try decide(
                    arrival, place, note?.wanted, states[key], unsent[key], isOver(arrival.subject.zone), in: journal)
            }
            if isExplained { explained[arrival.subject.zone, default: []].append(arrival.record) }
        }
        for (zone, records) in explained.sorted(by: { $0.key < $1.key }) { try bring(records, zone, in: journal) }
    }

    /// Whether a parked record is that of an object that is gone from its zone.
    private func isArrival(_ arrival: Arrival, of gone: GoneRecord, in journal: any JournalReading) throws -> Bool {
        guard let settings = settings[arrival.subject.zone] else { return false }
        return try gone.to == settings.zone || journal.mayBeOfOwner(arrival.record, settings)
    }

    /// The waiting records. If a record is no longer parked, its note is removed, and a deletion of its object can be
    /// sent.
    private mutating func parked(_ notes: MoveNotes, in journal: any JournalWriting) throws -> [Arrival] {
        var arrivals: [Arrival] = []
        for (subject, note) in notes.objects.sorted(by: { $0.key.noteName < $1.key.noteName }) {
            guard case .second(let name, let since, let isTold) = note.state else { continue }
            let key = subject.key
            if let record = try ZoneReader(journal, subject.zone).note(.parked, of: name)?.record {
                let id = ObjectID(entityName: note.entityName, key: key)
                arrivals.append(
                    Arrival(subject: subject, objectID: id, record: record, since: since, isTold: isTold))
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

    /// Decides about an object with one record in each of two zones, after all zones were read:
    ///
    /// - Normally both records are from this user's own devices. The object goes to the zone of the younger record
    ///   (``SyncServices/settle(_:)``).
    /// - If the object was deleted here, the deletion is weighed against the parked record.
    /// - If the object's zone has no record of it, it goes to the zone of the parked record.
    /// - In all other cases the object keeps its zone, and the record stays parked. Such a case is a record of another
    ///   user, or an object with identifying values.
    ///
    /// - Returns: Whether the object goes to the zone of the parked record at once.
    private mutating func decide(
        _ arrival: Arrival, _ place: Int64, _ wanted: WantedMove?, _ state: RecordState?, _ entry: OutboxEntry?,
        _ isRead: Bool, in journal: any JournalWriting
    ) throws -> Bool {
        guard isRead, !arrival.isTold else { return false }
        let id = arrival.objectID
        guard mayMove, let entity = settings[arrival.subject.zone]?.model.entity(named: id.entityName)?.entity,
            !entity.isIdentifiedByValues, try journal.isOwn(arrival.record.created?.userRecordName)
        else {
            try tell(arrival, from: place, in: journal)
            return false
        }
        // This device may have made the record itself. It waits for no other one.
        let isOwnCopy = settings[arrival.subject.zone].map { wanted?.sent.contains($0.zone) == true } ?? false
        guard try isOwnCopy || isOverdue(arrival, in: journal) else { return false }
        guard entry?.kind != .delete, let state, let tag = state.changeTag, !state.isOfNoRecord else { return true }
        twins.append(
            Twin(
                objectID: id, place: place, recordName: state.recordName, tag: tag, zone: arrival.subject.zone,
                record: arrival.record))
        return false
    }

    /// Whether another device has had enough time to delete the former record. Also notes when the parked one was first
    /// met.
    private mutating func isOverdue(_ arrival: Arrival, in journal: any JournalWriting) throws -> Bool {
        guard patience > 0 else { return true }
        // If the clock was put back, the wait begins anew.
        let since = arrival.since.map { $0 > now ? now : $0 } ?? now
        let rest = patience - (now - since)
        guard rest > 0 else { return true }
        if since != arrival.since {
            let state = MoveNote.State.second(name: arrival.record.recordName, since: since, isTold: false)
            try journal.setNote(
                .moves, of: arrival.subject, to: MoveNote(entityName: arrival.objectID.entityName, state: state))
        }
        wait = min(wait ?? rest, rest)
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
        let state = MoveNote.State.second(name: arrival.record.recordName, since: nil, isTold: true)
        try journal.setNote(
            .moves, of: arrival.subject, to: MoveNote(entityName: arrival.objectID.entityName, state: state))
        unsent.insert(place)
    }
}
