import Backstitch
import BackstitchSupport
import CloudWire

/// Carries moves on as far as possible after zones were read, within one transaction:
///
/// - It brings marked objects to their target zones.
/// - It deletes objects that have moved on, but are in none of this store's zones.
/// - It lets objects follow their parents to another zone.
struct MoveSettler {
    /// The settings of each zone of the store, by its number.
    let settings: [Int64: ApplySettings]
    /// The numbers of zones by their names on the server.
    let numbers: [String: Int64]
    /// Whether all zones were read since news of moves was met in a zone, as far as this process knows.
    let isOver: (Int64) -> Bool
    /// Whether a zone has unread news of moves, as the server has shown.
    let isBehind: (Int64) -> Bool
    /// Whether this device may write, and the zones are the user's own.
    let mayMove: Bool
    /// Whether the store has a main zone. Without one, no main zone has to be read.
    let hasMainZone: Bool
    let now: Int64

    /// The time that a device has to bring its marked object to the target zone, before other devices do it, in
    /// milliseconds. Without this wait all devices would do it every time.
    static let patience: Int64 = 60_000

    /// The results of one pass over the moves.
    struct Outcome {
        var applied = AppliedChanges()
        /// The zones that now have something to send.
        var unsent: Set<Int64> = []
        /// Whether zones must be read before the remaining moves go on.
        var needsReading = false
        /// Milliseconds until there may be more to do; nil if nothing waits.
        var wait: Int64?
    }

    private var outcome = Outcome()
    /// Read when it is first needed.
    private var parked: ParkedByZone?
    /// Objects that are to follow their parents, by the number of the target zone.
    private var following: [Int64: [ObjectID]] = [:]

    init(
        settings: [Int64: ApplySettings], numbers: [String: Int64], mayMove: Bool, hasMainZone: Bool, now: Int64,
        isOver: @escaping (Int64) -> Bool, isBehind: @escaping (Int64) -> Bool
    ) {
        (self.settings, self.numbers, self.now) = (settings, numbers, now)
        (self.isOver, self.isBehind) = (isOver, isBehind)
        (self.mayMove, self.hasMainZone) = (mayMove, hasMainZone)
    }

    /// Carries all moves on.
    ///
    /// - Parameter journal: The journal of the whole store.
    mutating func settle(in journal: any JournalWriting) throws -> Outcome {
        let isRead = try journal.areAllZonesRead(hasMainZone: hasMainZone)
        var arrivals = MoveArrivals(settings: settings, mayMove: mayMove)
        try arrivals.settle(in: journal) { isRead && isOver($0) }
        outcome.applied.add(arrivals.applied)
        outcome.unsent.formUnion(arrivals.unsent)
        // The pull of the main zone weighs these deletions. It should be soon: meanwhile the objects may change
        // further.
        if try !journal.subjects(of: .deletedBefore).isEmpty { outcome.needsReading = true }
        let notes = try MoveNotes(journal)
        let keys = notes.objects.keys.map(\.key)
        let places = try journal.zones(of: keys), unsent = try journal.outbox(for: keys)
        let states = try journal.recordStates(for: keys)
        for (subject, note) in notes.objects.sorted(by: { $0.key.noteName < $1.key.noteName }) {
            switch note.state {
            case .marked(let mark, let name, let tag, let isOwn, let since):
                let marked = Marked(
                    subject: subject, entityName: note.entityName, mark: mark, name: name, tag: tag, isOwn: isOwn,
                    since: since)
                try settle(marked, place: places[subject.key] ?? 0, isRead, in: journal)
            case .followsParent: try follow(subject, note, isRead, in: journal)
            case .unexplained(_, let isTold):
                // An explained record was applied before this point.
                if !isTold, !(isRead && isOver(subject.zone)) { outcome.needsReading = true }
            case .formerRecord:
                // The record is emptied after its object was sent.
                let place = places[subject.key] ?? 0
                if place != subject.zone, let entry = unsent[subject.key], entry.blockedReason == nil {
                    if isBehind(subject.zone) { outcome.needsReading = true } else { outcome.unsent.insert(place) }
                }
            case .deletionInDoubt(_, let isTold):
                let id = ObjectID(entityName: note.entityName, key: subject.key)
                try judge(id, deletedIn: subject, isTold, place: places[subject.key] ?? 0, isRead, in: journal)
            case .emptied:
                let hasArrived = states[subject.key]?.changeTag != nil || unsent[subject.key] == nil
                try settle(subject, hasArrived: hasArrived, place: places[subject.key] ?? 0, in: journal)
            case .recordsLost:
                let place = places[subject.key] ?? 0
                if place == subject.zone || unsent[subject.key] == nil {
                    try journal.removeNote(.moves, of: subject)
                } else if unsent[subject.key]?.blockedReason == nil {
                    outcome.unsent.insert(place)
                }
            case .wanted:
                // The object was deleted, or the change that carried the mark was given up.
                if unsent[subject.key] == nil { try journal.removeNote(.moves, of: subject) }
            }
        }
        try beginMoves(following, in: journal)
        try goOn(isRead, in: journal)
        return outcome
    }

    /// Settles an object after its marked record has disappeared.
    private mutating func judge(
        _ id: ObjectID, deletedIn subject: ZonedKey, _ isTold: Bool, place: Int64, _ isRead: Bool,
        in journal: any JournalWriting
    ) throws {
        guard isRead, isOver(subject.zone) else {
            outcome.needsReading = true
            return
        }
        guard isTold, mayMove, place != subject.zone, let settings = settings[place],
            let name = try journal.nameOnServer(ofZone: subject.zone, settings.names)
        else { return try journal.removeNote(.moves, of: subject) }
        var judge = DeletionInDoubt(journal, settings)
        try judge.judge(id, leftZone: subject, named: name)
        if settings.resolver.hasOpenConflicts { throw OpenConflicts() }
        outcome.applied.add(judge.result)
        outcome.unsent.insert(place)
    }

    /// Settles an object brought to its present zone by another device. This needs its record there, or a record with a
    /// mark for its next move. Otherwise the server is asked later (``SyncServices/settleEmptied()``).
    private mutating func settle(
        _ subject: ZonedKey, hasArrived: Bool, place: Int64, in journal: any JournalWriting
    ) throws {
        var hasGoneOn = false
        if case .marked? = try journal.note(.moves, of: ZonedKey(zone: place, key: subject.key))?.state {
            hasGoneOn = true
        }
        guard hasArrived || hasGoneOn || place == subject.zone else { return }
        outcome.unsent.insert(place)
        try journal.removeNote(.moves, of: subject)
    }

    /// Whether a record of the object is parked, in any zone.
    private mutating func isParked(_ key: ObjectKey, in journal: any JournalReading) throws -> Bool {
        let parked = try parked ?? ParkedByZone(journal)
        self.parked = parked
        return try parked.contains(key)
    }

    /// Starts the further moves of objects whose earlier moves have ended.
    private mutating func goOn(_ isRead: Bool, in journal: any JournalWriting) throws {
        guard mayMove else { return }
        let going = try journal.takeMovesGoingOn(requireModel(0), numbers: numbers) { isRead && isOver($0) }
        if going.needsReading { outcome.needsReading = true }
        for ids in going.beginning.values {
            let places = try journal.zones(of: ids.map(\.key))
            outcome.unsent.formUnion(ids.map { places[$0.key] ?? 0 })
        }
        try beginMoves(going.beginning, in: journal)
    }

    /// Starts the moves of objects to the zones of their parents or their next targets, one zone at a time.
    private mutating func beginMoves(_ moves: [Int64: [ObjectID]], in journal: any JournalWriting) throws {
        for (zone, ids) in moves.sorted(by: { $0.key < $1.key }) {
            guard let names = settings[zone]?.names, let name = try journal.nameOnServer(ofZone: zone, names) else {
                continue
            }
            _ = try journal.beginMove(of: ids, to: (zone, name), requireModel(zone), leavesLinks: true)
            outcome.unsent.insert(zone)
        }
    }

    /// A marked record, with the facts of its note.
    private struct Marked {
        let subject: ZonedKey
        let entityName: String
        let mark: MoveMark
        let name: String
        let tag: String?
        let isOwn: Bool
        let since: Int64?

        var objectID: ObjectID { ObjectID(entityName: entityName, key: subject.key) }
    }

    private mutating func settle(
        _ record: Marked, place: Int64, _ isRead: Bool, in journal: any JournalWriting
    ) throws {
        guard place == record.subject.zone else { return try leave(record, in: journal) }
        if record.mark.isDone { return try delete(record, isRead, in: journal) }
        // Only the owner brings it there.
        guard mayMove else { return }
        guard isRead else {
            outcome.needsReading = true
            return
        }
        guard try record.isOwn || isOverdue(record, in: journal) else { return }
        guard let zone = numbers[record.mark.zone] else {
            // The target zone was deleted meanwhile, or was never made.
            if isOver(record.subject.zone) { try unmark(record, in: journal) } else { outcome.needsReading = true }
            return
        }
        guard zone != place else { return try unmark(record, in: journal) }
        // Another device has brought it, but this device cannot read the record yet.
        let name = record.subject.key.uuidString, there = ZoneReader(journal, zone)
        guard try !there.hasNote(.awaitedKey, of: name), try !there.hasNote(.awaitedBytes, of: name) else { return }
        // It returns to a zone that still has its former record. The former record is deleted first.
        if case .formerRecord? = try journal.note(.moves, of: ZonedKey(zone: zone, key: record.subject.key))?.state {
            outcome.applied.mayMove = true
            return
        }
        guard try hasAllAssets(record, in: journal) else {
            outcome.wait = min(outcome.wait ?? Self.patience, Self.patience)
            return
        }
        try bring(record, to: zone, in: journal)
    }

    /// Whether another device has had enough time to bring its marked object. Also notes when the mark was first met.
    private mutating func isOverdue(_ record: Marked, in journal: any JournalWriting) throws -> Bool {
        // If the clock was put back, the wait begins anew.
        let since = record.since.map { $0 > now ? now : $0 } ?? now
        let rest = Self.patience - (now - since)
        guard rest > 0 else { return true }
        if since != record.since {
            try journal.setNote(
                .moves, of: record.subject,
                to: MoveNote(
                    entityName: record.entityName,
                    state: .marked(record.mark, name: record.name, tag: record.tag, isOwn: false, since: since)))
        }
        outcome.wait = min(outcome.wait ?? rest, rest)
        return false
    }

    /// Deletes an object that has moved on, but is in none of the store's zones. The object stays if its record has
    /// come but cannot be read yet.
    private mutating func delete(_ record: Marked, _ isRead: Bool, in journal: any JournalWriting) throws {
        guard isRead, isOver(record.subject.zone), let settings = settings[record.subject.zone] else {
            outcome.needsReading = true
            return
        }
        guard try !isParked(record.subject.key, in: journal) else { return }
        try journal.removeNote(.moves, of: record.subject)
        let own = ZoneWriter(journal, record.subject.zone)
        var applier = try RemoteChangeApplier(journal: own, settings: settings)
        // In another user's zone the owner's move stands. To make the object anew there would undo the move.
        applier.takesEditsBack = settings.isOfOthers
        let applied = try applier.apply([RemoteChange(deleted: record.name, zone: settings.zone)])
        outcome.applied.received += applied.received
        outcome.applied.echoed += applied.echoed
        outcome.applied.add(applied)
        var ofOrphans = AppliedChanges()
        try OrphanSettler.settle(in: own, settings, &ofOrphans)
        outcome.applied.add(ofOrphans)
        if ofOrphans.hasUnsent { outcome.unsent.insert(record.subject.zone) }
        guard let entry = try journal.outbox(for: [record.subject.key])[record.subject.key] else { return }
        outcome.unsent.insert(record.subject.zone)
        guard entry.kind != .delete, entry.blockedReason == nil else { return }
        // The object stays because of an edit. It is sent after the rest of its old record is removed.
        if let tag = record.tag {
            try journal.setNote(
                .moves, of: record.subject,
                to: MoveNote(entityName: record.entityName, state: .formerRecord(nil, name: record.name, tag: tag)))
            outcome.applied.mayMove = true
        }
        try noteAstray(childrenOf: record, besides: record.subject.zone, in: journal)
    }

    /// Notes that the object is in another zone. Its marked record is no longer needed.
    private func leave(_ record: Marked, in journal: any JournalWriting) throws {
        try journal.setNote(
            .moves, of: record.subject,
            to: mayMove && !record.mark.isDone
                ? MoveNote(
                    entityName: record.entityName,
                    state: .formerRecord(record.mark, name: record.name, tag: record.tag)) : nil)
    }

    /// Ends the move: the object keeps its zone.
    private mutating func unmark(_ record: Marked, in journal: any JournalWriting) throws {
        try journal.takeMarkBack(of: record.objectID, inZone: record.subject.zone)
        outcome.unsent.insert(record.subject.zone)
    }

    /// Whether this device has the asset bytes for the record in the target zone.
    private func hasAllAssets(_ record: Marked, in journal: any JournalReading) throws -> Bool {
        guard let settings = settings[record.subject.zone],
            let entity = settings.model.entity(named: record.entityName),
            !entity.assetColumns.isEmpty
        else { return true }
        let rows = try journal.rows(of: entity.entity, keys: [record.subject.key])
        let presence = AssetPresence(of: rows, entity.assetColumns, in: settings.assets)
        return rows.count == 0 || entity.remoteAssets(of: rows, at: 0, presence).isEmpty
    }

    private func isHere(_ record: Marked, in journal: any JournalReading) throws -> Bool {
        guard let entity = try requireModel(record.subject.zone).entity(named: record.entityName)?.entity else {
            return false
        }
        return try journal.rows(of: entity, keys: [record.subject.key]).count == 1
    }

    private mutating func bring(_ record: Marked, to zone: Int64, in journal: any JournalWriting) throws {
        let key = record.subject.key
        let own = ZoneWriter(journal, zone)
        let state = try journal.recordStates(for: [key])[key]
        let unsent = try journal.outbox(for: [key])[key]
        guard try unsent != nil || isHere(record, in: journal) else {
            return try journal.removeNote(.moves, of: record.subject)
        }
        let sequence = try journal.lastTransactionNumber()
        var entry =
            unsent
            ?? OutboxEntry(objectID: record.objectID, kind: .update, sequence: sequence, firstSequence: sequence)
        entry.fields = entry.edits
        entry.blockedReason = nil
        // In the target zone the record's name is the object's key. A foreign name is valid only in its own zone.
        try own.putRecordStates([
            RecordState(objectID: record.objectID, changeTag: nil, unknownFields: state?.unknownFields)
        ])
        try own.putOutbox([entry])
        try leave(record, in: journal)
        outcome.unsent.insert(zone)
        try noteAstray(childrenOf: record, besides: zone, in: journal)
    }

    /// Notes the children of a moved object: they are to follow it. They did not move with it, because they were not
    /// known then.
    private mutating func noteAstray(
        childrenOf record: Marked, besides zone: Int64, in journal: any JournalWriting
    ) throws {
        let children = try journal.children(of: [record.subject.key], requireModel(record.subject.zone))
        let places = try journal.zones(of: children.map(\.key))
        for child in children {
            let subject = ZonedKey(zone: places[child.key] ?? 0, key: child.key)
            guard subject.zone != zone, try !journal.hasNote(.moves, of: subject) else { continue }
            try journal.setNote(.moves, of: subject, to: MoveNote(entityName: child.entityName, state: .followsParent))
            outcome.applied.mayMove = true
        }
    }

    private mutating func follow(
        _ subject: ZonedKey, _ note: MoveNote, _ isRead: Bool, in journal: any JournalWriting
    ) throws {
        let model = try requireModel(subject.zone)
        guard mayMove, let entity = model.entity(named: note.entityName)?.entity, let column = entity.parentColumn
        else { return try journal.removeNote(.moves, of: subject) }
        let rows = try journal.rows(of: entity, keys: [subject.key])
        guard rows.count == 1, !rows.isNull(0, column.slot) else {
            return try journal.removeNote(.moves, of: subject)
        }
        let parent = rows.key(0, column.slot)
        let places = try journal.zones(of: [subject.key, parent])
        let zone = places[parent] ?? 0
        guard places[subject.key] ?? 0 == subject.zone, zone != subject.zone,
            let above = model.entity(named: column.destinationName)?.entity,
            try journal.rows(of: above, keys: [parent]).count == 1
        else {
            return try journal.removeNote(.moves, of: subject)
        }
        guard isRead, isOver(subject.zone) else {
            outcome.needsReading = true
            return
        }
        // The parent may be moving to the zone of the child, only more slowly.
        switch try journal.note(.moves, of: ZonedKey(zone: zone, key: parent))?.state {
        case .wanted(to: .some), .marked: return
        case .wanted, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained, .followsParent, nil: break
        }
        // It follows after its change is sent or given up.
        if let entry = try journal.outbox(for: [subject.key])[subject.key], entry.kind == .update,
            entry.blockedReason != nil
        {
            return
        }
        try journal.removeNote(.moves, of: subject)
        following[zone, default: []].append(ObjectID(entityName: note.entityName, key: subject.key))
        outcome.unsent.insert(subject.zone)
    }

    private func requireModel(_ zone: Int64) throws -> SyncedModel {
        guard let settings = settings[zone] ?? settings[0] else {
            throw BackstitchError(.storeFailure, "the store has no zone of the number \(zone)")
        }
        return settings.model
    }
}
