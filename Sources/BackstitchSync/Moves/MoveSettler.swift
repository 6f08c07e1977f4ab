import Backstitch
import BackstitchSupport
import CloudWire

/// Settles the news of moves as far as possible after zones were read, within one transaction:
///
/// - It applies parked records that are explained by now (``MoveArrivals``).
/// - It deletes objects whose records are in none of this store's zones.
/// - It lets objects follow their parents to another zone.
/// - It drops moves that cannot take place any more.
///
/// It reads the notes of some objects at a time.
struct MoveSettler {
    /// The settings of each zone of the store, by its number.
    let settings: [Int64: ApplySettings]
    /// Whether all zones were read since news of moves was met in a zone, as far as this process knows.
    let isOver: (Int64) -> Bool
    /// Whether this device may write, and the zones are the user's own.
    let mayMove: Bool
    /// Whether the store has a main zone. Without one, no main zone has to be read.
    let hasMainZone: Bool
    let now: Int64

    /// The time that a device has to finish a move on a server without requests for several zones, before other devices
    /// do it, in milliseconds.
    static let patience: Int64 = 60_000

    /// The results of one pass over the moves.
    struct Outcome {
        var applied = AppliedChanges()
        /// The zones that now have something to send.
        var unsent: Set<Int64> = []
        /// Objects with two records, about which the server is to be asked.
        var twins: [MoveArrivals.Twin] = []
        /// Whether zones must be read before the remaining moves go on.
        var needsReading = false
        /// Milliseconds until there may be more to do; nil if nothing waits.
        var wait: Int64?
    }

    private var outcome = Outcome()
    /// Objects that are to follow their parents, by the number of the target zone.
    private var following: [Int64: [ObjectID]] = [:]
    /// Zones with deleted objects.
    private var touched: Set<Int64> = []
    /// Objects that stay because of an edit, by their zones.
    private var kept: [Int64: [(id: ObjectID, gone: GoneRecord)]] = [:]

    init(
        settings: [Int64: ApplySettings], mayMove: Bool, hasMainZone: Bool, now: Int64,
        isOver: @escaping (Int64) -> Bool
    ) {
        (self.settings, self.now, self.isOver) = (settings, now, isOver)
        (self.mayMove, self.hasMainZone) = (mayMove, hasMainZone)
    }

    /// Settles all notes.
    ///
    /// - Parameter journal: The journal of the whole store.
    mutating func settle(in journal: any JournalWriting) throws -> Outcome {
        let isRead = try journal.areAllZonesRead(hasMainZone: hasMainZone)
        let patience = settings.values.contains { !$0.hashesAssets } ? Self.patience : 0
        var arrivals = MoveArrivals(settings: settings, mayMove: mayMove, patience: patience, now: now)
        try arrivals.settle(in: journal) { isRead && isOver($0) }
        outcome.applied.add(arrivals.applied)
        outcome.unsent.formUnion(arrivals.unsent)
        (outcome.twins, outcome.wait) = (arrivals.twins, arrivals.wait)
        let parked = try ParkedByZone(journal, isOfOthers: settings.values.contains(where: \.isOfOthers))
        try journal.forEachPageOfMoves { try settle($0, parked, isRead, in: journal) }
        for zone in touched.sorted() { try finish(zone, in: journal) }
        try forgetDeletions(isRead, in: journal)
        try beginMoves(in: journal)
        return outcome
    }

    /// Settles the notes of some objects.
    private mutating func settle(
        _ notes: MoveNotes, _ parked: ParkedByZone, _ isRead: Bool, in journal: any JournalWriting
    ) throws {
        let keys = notes.keys
        let places = try journal.zones(of: keys), unsent = try journal.outbox(for: keys)
        let states = try journal.recordStates(for: keys)
        var gone: [Int64: [(id: ObjectID, gone: GoneRecord)]] = [:]
        for (subject, note) in notes.sorted {
            let id = ObjectID(entityName: note.entityName, key: subject.key)
            let isThere = states[subject.key] != nil || unsent[subject.key] != nil
            let isInPlace = places[subject.key] ?? 0 == subject.zone
            switch note.state {
            case .gone(let record):
                if !isInPlace || !isThere {
                    try journal.setMove(of: subject, to: nil)
                } else if !isRead || !isOver(subject.zone) {
                    outcome.needsReading = true
                } else if try !parked.contains(subject, besides: notes.told[subject.key] ?? []) {
                    if try readsAgain(record.copy, of: id, record, in: subject, journal) { continue }
                    gone[subject.zone, default: []].append((id, record))
                }
            case .wanted(let wanted):
                // A deleted object may have moved before.
                let isAlive = unsent[subject.key]?.kind != .delete || !wanted.sent.isEmpty
                let isPossible = isInPlace && isThere && isAlive && mayMove
                // A copy of this device may still be there, and is not to be taken for a move.
                let stays =
                    wanted.to == subject.zone && isRead && isOver(subject.zone)
                    && !notes.undecided.contains(subject.key)
                if !isPossible || settings[wanted.to] == nil || stays {
                    try journal.endMove(of: id, inZone: subject.zone)
                }
            case .second(_, _, let isTold):
                // An explained record was applied before this point.
                if !isTold, !(isRead && isOver(subject.zone)) { outcome.needsReading = true }
            case .leftover: if isInPlace, isThere { try journal.setMove(of: subject, to: nil) }
            case .followsParent: try follow(subject, note, isRead, in: journal)
            }
        }
        for (zone, records) in gone.sorted(by: { $0.key < $1.key }) { try end(records, zone, in: journal) }
    }

    /// Deletes objects whose records are gone, after all zones were read without meeting them. Unsent edits are a
    /// conflict with the deletion.
    private mutating func end(
        _ records: [(id: ObjectID, gone: GoneRecord)], _ zone: Int64, in journal: any JournalWriting
    ) throws {
        guard let settings = settings[zone] else { return }
        touched.insert(zone)
        let own = ZoneWriter(journal, zone)
        for (id, gone) in records {
            try journal.setMove(of: ZonedKey(zone: zone, key: id.key), to: nil)
            // Another device has deleted the object before it left.
            if let copy = gone.copy { try journal.leave(copy, of: id) }
        }
        let states = try journal.recordStates(for: records.map(\.id.key))
        let missing = records.filter(\.gone.isMissing).compactMap { states[$0.id.key] }
        if !missing.isEmpty {
            outcome.applied.add(
                try MissingRecords(.missed, settings, isEveryZoneRead: true).settle(missing, in: own))
        }
        // In another user's zone the owner's move wins: to make the object anew there would undo it. A server that
        // tells of no moves tells of no difference.
        func isMove(_ gone: GoneRecord) -> Bool { settings.isOfOthers && (gone.to != nil || !settings.hashesAssets) }
        for ofMoves in [false, true] {
            let deleted = records.filter { !$0.gone.isMissing && isMove($0.gone) == ofMoves }.map(\.id)
            guard !deleted.isEmpty else { continue }
            var applier = try RemoteChangeApplier(journal: own, settings: settings)
            applier.isEveryZoneRead = true
            applier.takesEditsBack = ofMoves
            let applied = try applier.apply(
                deleted.map {
                    RemoteChange(
                        deleted: states[$0.key]?.recordName ?? $0.key.uuidString, isReported: true, zone: settings.zone)
                })
            outcome.applied.received += applied.received
            outcome.applied.echoed += applied.echoed
            outcome.applied.add(applied)
        }
        let edited = try journal.outbox(for: records.map(\.id.key)).filter { $0.value.kind != .delete }
        kept[zone, default: []] += records.filter { edited[$0.id.key] != nil }
    }

    /// Finishes a zone with deleted objects. Objects that depended on them may have been deleted too.
    private mutating func finish(_ zone: Int64, in journal: any JournalWriting) throws {
        guard let settings = settings[zone] else { return }
        var ofOrphans = AppliedChanges()
        try OrphanSettler.settle(in: ZoneWriter(journal, zone), settings, &ofOrphans)
        outcome.applied.add(ofOrphans)
        // The object may stay because of an edit, or something was held back.
        outcome.unsent.insert(zone)
        let kept = kept[zone] ?? []
        let left = try journal.outbox(for: kept.map(\.id.key)).values.filter { $0.kind != .delete }
        let leftIDs = Set(left.map(\.objectID))
        try wantAgain(kept.filter { leftIDs.contains($0.id) }, zone, in: journal)
        if try journal.noteAstray(childrenOf: left.map(\.objectID.key), inZone: zone, settings.model) {
            outcome.applied.mayMove = true
        }
    }

    /// Reads the target zone of a move again, if the answer to the move's last step is missing. The copy there may be
    /// the object by now, and its record was skipped when it came.
    private mutating func readsAgain(
        _ copy: MovedCopy?, of id: ObjectID, _ record: GoneRecord, in subject: ZonedKey, _ journal: any JournalWriting
    ) throws -> Bool {
        guard let copy, copy.mayHaveLeft, settings[copy.zone] != nil else { return false }
        let target = ZoneWriter(journal, copy.zone)
        try target.beginAgain()
        try target.setSweep(.reapply)
        var record = record
        record.copy = nil
        try journal.setMove(of: subject, to: MoveNote(entityName: id.entityName, state: .gone(record)))
        outcome.needsReading = true
        return true
    }

    /// Lets objects that stay because of an edit move to the zone that this device had moved them to.
    private func wantAgain(
        _ records: [(id: ObjectID, gone: GoneRecord)], _ zone: Int64, in journal: any JournalWriting
    ) throws {
        for (id, gone) in records where gone.isOwnMove || gone.then != nil {
            let target = gone.then ?? settings.first { $0.value.zone == gone.to }?.key
            guard let target, target != zone else { continue }
            try journal.setMove(
                of: ZonedKey(zone: zone, key: id.key),
                to: MoveNote(entityName: id.entityName, state: .wanted(WantedMove(to: target))))
        }
    }

    /// Forgets deletions whose records were gone, after all zones were read without meeting their objects.
    private mutating func forgetDeletions(_ isRead: Bool, in journal: any JournalWriting) throws {
        guard try journal.hasNotes(of: .deletedBefore) else { return }
        if isRead, settings.keys.allSatisfy(isOver) {
            try journal.removeNotes(.deletedBefore)
        } else {
            outcome.needsReading = true
        }
    }

    /// Starts the moves of objects to the zones of their parents, one zone at a time.
    private mutating func beginMoves(in journal: any JournalWriting) throws {
        for (zone, ids) in following.sorted(by: { $0.key < $1.key }) where settings[zone] != nil {
            _ = try journal.beginMove(of: ids, to: zone, requireModel(zone), leavesLinks: true)
            outcome.applied.mayMove = true
            outcome.unsent.insert(zone)
        }
    }

    private mutating func follow(
        _ subject: ZonedKey, _ note: MoveNote, _ isRead: Bool, in journal: any JournalWriting
    ) throws {
        let model = try requireModel(subject.zone)
        guard mayMove, let entity = model.entity(named: note.entityName)?.entity, let column = entity.parentColumn
        else { return try journal.setMove(of: subject, to: nil) }
        let rows = try journal.rows(of: entity, keys: [subject.key])
        guard rows.count == 1, !rows.isNull(0, column.slot) else {
            return try journal.setMove(of: subject, to: nil)
        }
        let parent = rows.key(0, column.slot)
        let places = try journal.zones(of: [subject.key, parent])
        let zone = places[parent] ?? 0
        guard places[subject.key] ?? 0 == subject.zone, zone != subject.zone,
            let above = model.entity(named: column.destinationName)?.entity,
            try journal.rows(of: above, keys: [parent]).count == 1
        else {
            return try journal.setMove(of: subject, to: nil)
        }
        guard isRead, isOver(subject.zone) else {
            outcome.needsReading = true
            return
        }
        // The parent may be moving to the zone of the child, only more slowly, or may have left already.
        let ofParent = try journal.move(of: ZonedKey(zone: zone, key: parent))
        if ofParent?.wanted != nil || ofParent?.gone != nil { return }
        // It follows after its change is sent or given up.
        if let entry = try journal.outbox(for: [subject.key])[subject.key], entry.kind == .update,
            entry.blockedReason != nil
        {
            return
        }
        try journal.setMove(of: subject, to: nil)
        following[zone, default: []].append(ObjectID(entityName: note.entityName, key: subject.key))
    }

    private func requireModel(_ zone: Int64) throws -> SyncedModel {
        guard let settings = settings[zone] ?? settings[0] else {
            throw BackstitchError(.storeFailure, "the store has no zone of the number \(zone)")
        }
        return settings.model
    }
}
