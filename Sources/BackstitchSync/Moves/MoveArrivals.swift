import Backstitch
import CloudWire

/// Handles parked records of objects in other zones, some at a time. It finds the facts, and carries out the decision
/// (``SecondRecordFacts``).
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
        /// The number of the other zone, with the name and the tag of its record.
        let zone: Int64
        let otherName: String
        let otherTag: String?
        /// The number of the zone that the program wants the object in; nil if it does not matter.
        let wanted: Int64?
    }

    private struct Arrival {
        let subject: ZonedKey
        let objectID: ObjectID
        let record: WireRecord
        let since: Int64?
        let isTold: Bool
    }

    /// The number of objects whose parked records are in memory at once.
    static let page = 100

    /// Applies the explained records, and decides about the others.
    ///
    /// - Parameter journal: The journal of the whole store.
    /// - Parameter isOver: Whether all zones were read since the last news of moves in a zone.
    mutating func settle(in journal: any JournalWriting, isOver: (Int64) -> Bool) throws {
        try journal.forEachPageOfMoves(size: Self.page) { try settle($0, in: journal, isOver) }
    }

    private mutating func settle(
        _ notes: MoveNotes, in journal: any JournalWriting, _ isOver: (Int64) -> Bool
    ) throws {
        guard notes.hasSecond else { return }
        let arrivals = try parked(notes, in: journal)
        let keys = arrivals.map(\.subject.key)
        let places = try journal.zones(of: keys), states = try journal.recordStates(for: keys)
        let unsent = try journal.outbox(for: keys)
        var explained: [Int64: [WireRecord]] = [:]
        for arrival in arrivals {
            let key = arrival.subject.key, place = places[key] ?? 0
            let note = notes.objects[ZonedKey(zone: place, key: key)]
            var facts = try facts(of: arrival, note, in: journal)
            facts.object = object(arrival, place, note, states[key], unsent[key])
            facts.areZonesRead = isOver(arrival.subject.zone)
            switch facts.decision {
            case .arrive: explained[arrival.subject.zone, default: []].append(arrival.record)
            case .wait, .stay: break
            case .tell: try tell(arrival, from: place, in: journal)
            case .giveTime: try giveTime(arrival, in: journal)
            case .ask: if let state = states[key], let tag = state.changeTag { ask(arrival, place, note, state, tag) }
            }
        }
        for (zone, records) in explained.sorted(by: { $0.key < $1.key }) { try bring(records, zone, in: journal) }
    }

    /// The waiting records. If a record is no longer parked, its note is removed, and a deletion of its object can be
    /// sent.
    private mutating func parked(_ notes: MoveNotes, in journal: any JournalWriting) throws -> [Arrival] {
        var arrivals: [Arrival] = []
        for (subject, note) in notes.sorted {
            guard case .second(let name, let since, let isTold) = note.state else { continue }
            let key = subject.key
            if let record = try ZoneReader(journal, subject.zone).note(.parked, of: name)?.record {
                let id = ObjectID(entityName: note.entityName, key: key)
                arrivals.append(
                    Arrival(subject: subject, objectID: id, record: record, since: since, isTold: isTold))
                continue
            }
            try journal.setMove(of: subject, to: nil)
            if try journal.outbox(for: [key])[key]?.kind == .delete {
                unsent.insert(try journal.zones(of: [key])[key] ?? 0)
            }
        }
        return arrivals
    }

    // MARK: Facts

    /// - Parameter note: The note about the object's record in its own zone.
    private func facts(
        of arrival: Arrival, _ note: MoveNote?, in journal: any JournalReading
    ) throws -> SecondRecordFacts {
        var facts = SecondRecordFacts()
        facts.isTold = arrival.isTold
        facts.mayMove = mayMove
        facts.isNew = rest(of: arrival) > 0
        guard let settings = settings[arrival.subject.zone] else { return facts }
        let entity = settings.model.entity(named: arrival.objectID.entityName)?.entity
        facts.isNamed = note?.gone?.to == settings.zone
        facts.mayBeOfOwner = try journal.mayBeOfOwner(arrival.record, settings)
        facts.isIdentifiedByValues = entity?.isIdentifiedByValues ?? true
        facts.mayBeOfThisDevice = note?.wanted?.sent.contains(settings.zone) == true
        return facts
    }

    private func object(
        _ arrival: Arrival, _ place: Int64, _ note: MoveNote?, _ state: RecordState?, _ entry: OutboxEntry?
    ) -> SecondRecordFacts.Object {
        guard state != nil || entry != nil, place != arrival.subject.zone else { return .notElsewhere }
        if note?.gone != nil { return .gone }
        if entry?.kind == .delete { return .deleted }
        return state?.changeTag == nil || state?.isOfNoRecord == true ? .unsent : .known
    }

    /// The milliseconds that another device still has to delete the object's other record.
    private func rest(of arrival: Arrival) -> Int64 { patience - (now - begin(of: arrival)) }

    /// The time at which the record was met. If the clock was put back, the wait begins anew.
    private func begin(of arrival: Arrival) -> Int64 { arrival.since.map { $0 > now ? now : $0 } ?? now }

    // MARK: Acts

    private mutating func bring(_ records: [WireRecord], _ zone: Int64, in journal: any JournalWriting) throws {
        guard let settings = settings[zone] else { return }
        let news = RemoteChange.list(records, zone: settings.zone)
        // The notes go first: an unreadable record is parked for a different reason from now on.
        for item in news { try journal.setMove(of: ZonedKey(zone: zone, key: item.key), to: nil) }
        var applier = try RemoteChangeApplier(journal: ZoneWriter(journal, zone), settings: settings)
        applier.moves.explained = Set(news.map(\.key))
        let brought = try applier.apply(news)
        if brought.hasUnsent { unsent.insert(zone) }
        // Unsent changes of these objects are held back no longer.
        let left = Array(try journal.outbox(for: news.map(\.key)).keys), places = try journal.zones(of: left)
        unsent.formUnion(left.map { places[$0] ?? 0 })
        applied.add(brought)
    }

    private mutating func ask(
        _ arrival: Arrival, _ place: Int64, _ note: MoveNote?, _ state: RecordState, _ tag: String
    ) {
        twins.append(
            Twin(
                objectID: arrival.objectID, place: place, recordName: state.recordName, tag: tag,
                zone: arrival.subject.zone, otherName: arrival.record.recordName,
                otherTag: arrival.record.recordChangeTag, wanted: note?.wanted?.to))
    }

    /// Waits for another device. Notes when the record was first met.
    private mutating func giveTime(_ arrival: Arrival, in journal: any JournalWriting) throws {
        let since = begin(of: arrival), rest = rest(of: arrival)
        if since != arrival.since { try note(arrival, since: since, isTold: false, in: journal) }
        wait = min(wait ?? rest, rest)
    }

    /// Reports a record that stays parked. Nothing will explain it, so a deletion of its object is no longer held back.
    private mutating func tell(_ arrival: Arrival, from place: Int64, in journal: any JournalWriting) throws {
        applied.parked.append(
            ParkedRecord(
                recordName: arrival.record.recordName, recordType: arrival.record.recordType,
                reason: MoveNote.unexplainedReason(arrival.objectID), keyID: nil))
        try note(arrival, since: nil, isTold: true, in: journal)
        unsent.insert(place)
    }

    private func note(_ arrival: Arrival, since: Int64?, isTold: Bool, in journal: any JournalWriting) throws {
        let state = MoveNote.State.second(name: arrival.record.recordName, since: since, isTold: isTold)
        try journal.setMove(
            of: arrival.subject, to: MoveNote(entityName: arrival.objectID.entityName, state: state))
    }
}
