import Backstitch
import BackstitchSupport
import CloudWire

/// Chooses the next moves from one zone to another, among some objects. Only these are looked up.
struct MoveChoice: Sendable {
    /// The builder of batches for the target zone.
    let builder: BatchBuilder
    /// The objects to choose from: parents before their children.
    let keys: [ObjectKey]
    /// The zone that the objects leave, with its name on the server.
    let former: Int64
    let formerPlace: ZoneID
    /// Whether the server takes both operations of a move together.
    let isWhole: Bool
    let most: Int
    /// The objects that have taken each step in this pass.
    let tried: [MoveStep: Set<ObjectKey>]

    /// An object that can take a step now.
    private struct Candidate {
        let id: ObjectID
        let wanted: WantedMove
        let state: RecordState
        let tag: String
        let entry: OutboxEntry
        let step: MoveStep
    }

    /// Returns the next batch, and notes in the journal that it may arrive. Nil if there is none.
    ///
    /// - Parameter journal: The journal of the whole store.
    func next(in journal: any JournalWriting) throws -> MoveBatch? {
        let own = ZoneWriter(journal, builder.zoneNumber)
        // Objects are sent to a zone only after it was read.
        guard let token = try own.value(of: .token), try own.has(.setUp) else { return nil }
        let candidates = try self.candidates(in: journal)
        guard let first = candidates.first else { return nil }
        var chosen = Array(candidates.filter { $0.step == first.step }.prefix(max(most, 1)))
        let items: [PushItem]
        var blocked: [BlockedChange] = [], isWholeChoice = true
        if first.step == .leave {
            // Children leave before their parents.
            chosen = Array(candidates.filter { $0.step == .leave }.reversed().prefix(max(most, 1)))
            items = chosen.map { candidate in
                // The record in the target zone is there already.
                let copy = RecordOperation(.replace, WireRecord(recordName: candidate.id.key.uuidString))
                return item(candidate, of: PushItem(entry: candidate.entry, operation: copy))
            }
        } else {
            let draft = try draft(chosen, candidates, in: own)
            items = moving(chosen, of: draft)
            isWholeChoice = draft.isComplete || items.isEmpty
            blocked = try draft.blocked.compactMap { entry, reason in
                try journal.block(entry, reason, isOfToken: false, inZone: former)
            }
        }
        let sent = Dictionary(chosen.map { ($0.id.key, $0) }) { $1 }
        for item in items {
            guard var wanted = sent[item.entry.objectID.key]?.wanted else { continue }
            wanted.sent.insert(builder.zone)
            if first.step == .leave { wanted.copy?.mayHaveLeft = true }
            let id = item.entry.objectID
            try journal.setMove(
                of: ZonedKey(zone: former, key: id.key),
                to: MoveNote(entityName: id.entityName, state: .wanted(wanted)))
        }
        if first.step != .leave, !items.isEmpty { try own.note(items.map(PushAttempt.init(moving:))) }
        let keys = isWholeChoice ? chosen.map(\.id.key) : items.map(\.entry.objectID.key)
        return MoveBatch(step: first.step, items: items, chosen: Set(keys), blocked: blocked, token: token)
    }

    /// The objects that can take a step now, parents first.
    private func candidates(in journal: any JournalReading) throws -> [Candidate] {
        let notes = try MoveNotes(journal, of: keys)
        let states = try journal.recordStates(for: keys), entries = try journal.outbox(for: keys)
        let places = try journal.zones(of: keys), sequence = try journal.lastTransactionNumber()
        let source = ZoneReader(journal, former), hasParked = try source.value(of: .parkedCount) ?? 0 > 0
        return try keys.compactMap { key -> Candidate? in
            let entry = entries[key]
            guard let note = notes.objects[ZonedKey(zone: former, key: key)], let wanted = note.wanted,
                wanted.to == builder.zoneNumber, places[key] ?? 0 == former, let state = states[key],
                let tag = state.changeTag, !state.isOfNoRecord, entry?.kind != .delete, entry?.blockedReason == nil,
                // A record of this name is in the way, or is not understood yet.
                notes.objects[ZonedKey(zone: builder.zoneNumber, key: key)] == nil
            else { return nil }
            // A newer version of its record cannot be read yet.
            if hasParked, try source.hasNote(.parked, of: state.recordName) { return nil }
            let step = step(of: wanted, tag)
            guard tried[step]?.contains(key) != true else { return nil }
            let id = ObjectID(entityName: note.entityName, key: key)
            return Candidate(
                id: id, wanted: wanted, state: state, tag: tag,
                entry: entry ?? OutboxEntry(objectID: id, kind: .update, sequence: sequence, firstSequence: sequence),
                step: step)
        }
    }

    private func step(of wanted: WantedMove, _ tag: String) -> MoveStep {
        if isWhole { return .whole }
        return wanted.copy?.zone == builder.zoneNumber && wanted.copy?.source == tag ? .leave : .copy
    }

    /// Builds the records for the target zone.
    private func draft(_ chosen: [Candidate], _ all: [Candidate], in own: ZoneWriter) throws -> BatchDraft {
        // Parents with copies are in the zone as well.
        let parents = Set(try own.whole.parents(of: chosen.map(\.id), builder.model).values)
        let copied = try MoveNotes(own.whole, of: parents).objects.filter {
            $0.value.wanted?.copy?.zone == builder.zoneNumber
        }
        let accompanied = Set(chosen.map(\.id.key)).union(all.filter { $0.wanted.copy != nil }.map(\.id.key))
            .union(copied.keys.map(\.key))
        var draft = try BatchDraft(
            of: chosen.map(\.entry), beside: [], moving: accompanied, builder: builder, journal: own)
        try draft.fill()
        _ = draft.hold(try TransferPauses(in: own))
        return draft
    }

    private func moving(_ chosen: [Candidate], of draft: BatchDraft) -> [PushItem] {
        let byKey = Dictionary(chosen.map { ($0.id.key, $0) }) { $1 }
        return draft.items.compactMap { drafted in
            // An asset whose bytes are not here yet is awaited.
            guard let candidate = byKey[drafted.entry.objectID.key], drafted.makesRecord,
                drafted.lostAssets.isEmpty, drafted.unread.isEmpty
            else { return nil }
            return item(candidate, of: drafted)
        }
    }

    /// Completes an item with the record that is to be deleted.
    private func item(_ candidate: Candidate, of drafted: PushItem) -> PushItem {
        var item = drafted
        item.mayHaveArrived = true
        item.departure = .init(
            zone: former, place: formerPlace, recordName: candidate.state.recordName, tag: candidate.tag)
        guard let copy = candidate.wanted.copy, copy.zone == builder.zoneNumber else { return item }
        item.copy = copy
        if candidate.step != .leave {
            item.operation.operationType = .replace
            item.operation.record.recordChangeTag = copy.tag
        } else {
            // The copy has the edits up to its making.
            item.entry.sequence = min(item.entry.sequence, max(copy.sequence, 0))
        }
        return item
    }
}
