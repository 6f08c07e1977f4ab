import Backstitch
import BackstitchSupport
import CloudWire

extension JournalWriting {
    /// Has objects, with all that hangs on them, go to another zone. Those of which the server knows nothing are there
    /// at once; the others when their records have been marked.
    ///
    /// - Parameters:
    ///   - zone: The number of the zone, and its name on the server.
    ///   - leavesLinks: Whether links that will lead from one zone to another stay.
    /// - Returns: The objects that move.
    /// - Throws: ``BackstitchError/Code/crossZoneRelationship`` with a fault for each link that would lead from one
    ///   zone to another; ``BackstitchError/Code/invalidRequest`` with a fault for each object that is shared where it
    ///   is, or that has a blocked change.
    func beginMove(
        of ids: [ObjectID], to zone: (number: Int64, onServer: String), _ model: SyncedModel, leavesLinks: Bool = false
    ) throws -> [ObjectID] {
        let family = try ObjectFamily(of: ids, in: self, model)
        let places = try zones(of: family.members.map(\.key))
        let moving = family.members.filter { places[$0.key] ?? 0 != zone.number }
        if !leavesLinks {
            try requireMovable(family, to: zone.number)
            try refuseLinks(of: family, leavingZone: zone.number, model)
        }
        guard !moving.isEmpty else { return [] }
        let notes = try MoveNotes(self)
        // Above all that is on its way: an answer to that is none to the mark.
        let sequence = try lastTransactionNumber() + 1
        try raiseTransactionNumber(to: sequence)
        for (former, ids) in Dictionary(grouping: moving, by: { places[$0.key] ?? 0 }).sorted(by: { $0.key < $1.key }) {
            let own = BeginningMove(from: former, to: zone, notes, sequence)
            for part in ids.parts(of: 1_000) { try own.begin(Array(part), in: self) }
        }
        return moving
    }
}

/// Objects of one zone that begin to leave it.
private struct BeginningMove {
    let former: Int64
    let zone: (number: Int64, onServer: String)
    let notes: MoveNotes
    let sequence: Int64

    init(from former: Int64, to zone: (number: Int64, onServer: String), _ notes: MoveNotes, _ sequence: Int64) {
        (self.former, self.zone, self.notes, self.sequence) = (former, zone, notes, sequence)
    }

    func begin(_ ids: [ObjectID], in journal: any JournalWriting) throws {
        let keys = ids.map(\.key)
        let entries = try journal.outbox(for: keys), states = try journal.recordStates(for: keys)
        let unanswered = try ZoneReader(journal, former).unansweredInserts().sequences
        var marked: [OutboxEntry] = [], unknown: [ObjectKey] = []
        for id in ids {
            let subject = ZonedKey(zone: former, key: id.key)
            // A marked one goes where the mark says first.
            if case .marked? = notes.objects[subject]?.state { continue }
            // Of an object that is sent again, since its zone was lost, others may have made the record by now.
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
}
