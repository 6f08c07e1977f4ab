import Backstitch
import BackstitchSupport
import CloudWire

extension JournalWriting {
    /// Starts to move objects to another zone, with everything below them:
    ///
    /// - Objects unknown to the server are there at once.
    /// - The other objects move after their records were marked.
    /// - Objects on an earlier move finish it first, and go on in a later pass of ``MoveSettler``.
    ///
    /// - Parameter zone: The number of the zone, and its name on the server.
    /// - Parameter leavesLinks: Whether links between the two zones may result. If so, shared objects and blocked
    ///   changes are not checked either.
    /// - Returns: The objects that move.
    /// - Throws: ``BackstitchError/Code/crossZoneRelationship`` with a fault for each link between an object that moves
    ///   and one that stays; ``BackstitchError/Code/invalidRequest`` with a fault for each object that is shared in
    ///   place, or has a blocked change.
    func beginMove(
        of ids: [ObjectID], to zone: (number: Int64, onServer: String), _ model: SyncedModel, leavesLinks: Bool = false
    ) throws -> [ObjectID] {
        let family = try ObjectFamily(of: ids, in: self, model)
        let places = try zones(of: family.members.map(\.key))
        let notes = try MoveNotes(self)
        let onward = try Dictionary(self.notes(.onward).map { ($0.subject, $0.value) }, uniquingKeysWith: { $1 })
        let moving = family.members.filter { member in
            let place = places[member.key] ?? 0
            return place != zone.number || onward[member.key] != nil
                || notes.isToLeave(ZonedKey(zone: place, key: member.key))
        }
        guard !moving.isEmpty else { return [] }
        if !leavesLinks {
            try requireMovable(family, to: zone.number)
            try refuseLinks(of: family, leavingZone: zone.number, model)
        }
        // The number is higher than that of every change in flight. So an answer to such a change never counts as an
        // answer to the mark.
        let sequence = try lastTransactionNumber() + 1
        try raiseTransactionNumber(to: sequence)
        for (former, ids) in Dictionary(grouping: moving, by: { places[$0.key] ?? 0 }).sorted(by: { $0.key < $1.key }) {
            let own = BeginningMove(from: former, to: zone, notes, onward: onward, sequence)
            for part in ids.parts(of: 1_000) { try own.begin(Array(part), in: self) }
        }
        return moving
    }

    /// Queues the removal of a record's mark for the next push.
    func takeMarkBack(of id: ObjectID, inZone zone: Int64) throws {
        let sequence = try lastTransactionNumber() + 1
        try raiseTransactionNumber(to: sequence)
        var entry =
            try outbox(for: [id.key])[id.key]
            ?? OutboxEntry(objectID: id, kind: .update, sequence: sequence, firstSequence: sequence)
        if entry.kind == .update { entry.markMove(by: sequence) }
        try putOutbox([entry])
        try setNote(
            .moves, of: ZonedKey(zone: zone, key: id.key),
            to: MoveNote(entityName: id.entityName, state: .wanted(to: nil)))
    }
}

/// A group of objects of one zone, at the start of their move.
private struct BeginningMove {
    let former: Int64
    let zone: (number: Int64, onServer: String)
    let notes: MoveNotes
    /// The further moves that are already noted, by object.
    let onward: [ObjectKey: OnwardMove]
    let sequence: Int64

    init(
        from former: Int64, to zone: (number: Int64, onServer: String), _ notes: MoveNotes,
        onward: [ObjectKey: OnwardMove], _ sequence: Int64
    ) {
        (self.former, self.zone, self.notes, self.onward, self.sequence) = (former, zone, notes, onward, sequence)
    }

    func begin(_ ids: [ObjectID], in journal: any JournalWriting) throws {
        let keys = ids.map(\.key)
        let entries = try journal.outbox(for: keys), states = try journal.recordStates(for: keys)
        let unanswered = try ZoneReader(journal, former).unansweredInserts().sequences
        var marked: [OutboxEntry] = [], unknown: [ObjectKey] = []
        for id in ids {
            let subject = ZonedKey(zone: former, key: id.key)
            guard try !isOnItsWay(id, in: journal) else { continue }
            // An object may be sent again because its zone was lost. Another device may have made its record by now.
            let isKnown = states[id.key]?.changeTag != nil || unanswered[id.key] != nil
            guard isKnown || entries[id.key].map({ $0.kind != .insert || $0.firstSequence == 0 }) ?? false else {
                unknown.append(id.key)
                continue
            }
            var entry =
                entries[id.key]
                ?? OutboxEntry(objectID: id, kind: .update, sequence: sequence, firstSequence: sequence)
            entry.markMove(by: sequence)
            marked.append(entry)
            try journal.setNote(
                .moves, of: subject, to: MoveNote(entityName: id.entityName, state: .wanted(to: zone.onServer)))
        }
        try journal.putOutbox(marked)
        try journal.setZone(zone.number, of: unknown)
    }

    /// Notes a further move to the zone if the object is already on a move. Its record has a mark, or may have one by
    /// now, and another device may be acting on it. A different mark could collide with that device's work.
    ///
    /// - Returns: Whether nothing more is to be done: its record gets no other mark.
    private func isOnItsWay(_ id: ObjectID, in journal: any JournalWriting) throws -> Bool {
        switch notes.objects[ZonedKey(zone: former, key: id.key)]?.state {
        case .marked(let mark, _, _, _, _) where mark.zone == zone.onServer: try endOnward(id, in: journal)
        case .marked(let mark, _, _, _, _): try noteOnward(id, through: mark.zone, in: journal)
        case .wanted(to: zone.onServer) where onward[id.key] == nil: return false
        case .wanted(let wanted):
            try noteOnward(id, through: wanted, in: journal)
            if former != zone.number { return false }
            try journal.takeMarkBack(of: id, inZone: former)
        case .formerRecord where former != zone.number, .unexplained where former != zone.number:
            try noteOnward(id, through: nil, in: journal)
        case .formerRecord, .unexplained, .deletionInDoubt, .emptied, .recordsLost, .followsParent, nil:
            try endOnward(id, in: journal)
            return former == zone.number
        }
        return true
    }

    private func endOnward(_ id: ObjectID, in journal: any JournalWriting) throws {
        if onward[id.key] != nil { try journal.removeNote(.onward, of: id.key) }
    }

    /// Notes a further move of an object.
    ///
    /// - Parameter other: The name on the server of the zone that the object goes to first.
    private func noteOnward(_ id: ObjectID, through other: String?, in journal: any JournalWriting) throws {
        let earlier = onward[id.key].flatMap { $0.from == former ? $0.through : nil } ?? []
        try journal.setNote(
            .onward, of: id.key,
            to: OnwardMove(from: former, through: earlier.union(other.map { [$0] } ?? []), to: zone.number))
    }
}
