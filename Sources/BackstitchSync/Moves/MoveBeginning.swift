import Backstitch
import BackstitchSupport
import CloudWire

extension JournalWriting {
    /// Notes the wish to move objects to another zone, with everything below them. If the server knows none of them,
    /// they are there at once.
    ///
    /// - Parameter zone: The number of the zone.
    /// - Parameter leavesLinks: Whether links between the two zones may result. If so, shared objects and blocked
    ///   changes are not checked either.
    /// - Returns: The objects that move.
    /// - Throws: ``BackstitchError/Code/crossZoneRelationship`` with a fault for each link between an object that moves
    ///   and one that stays; ``BackstitchError/Code/invalidRequest`` with a fault for each object that is shared in
    ///   place, or has a blocked change.
    func beginMove(
        of ids: [ObjectID], to zone: Int64, _ model: SyncedModel, leavesLinks: Bool = false
    ) throws -> [ObjectID] {
        let family = try ObjectFamily(of: ids, in: self, model)
        let places = try zones(of: family.members.map(\.key))
        let notes = try MoveNotes(self, of: family.members.map(\.key))
        func subject(_ id: ObjectID) -> ZonedKey { ZonedKey(zone: places[id.key] ?? 0, key: id.key) }
        let moving = family.members.filter { id in
            subject(id).zone != zone || notes.objects[subject(id)]?.wanted != nil
                || notes.objects[subject(id)]?.gone != nil
        }
        guard !moving.isEmpty else { return [] }
        if !leavesLinks {
            try requireMovable(family, to: zone)
            try refuseLinks(of: family, leavingZone: zone, model)
        }
        let leaving = moving.filter { subject($0).zone != zone }
        if try !leaving.isEmpty && areUnknown(leaving, places) {
            try setZone(zone, of: leaving.map(\.key))
            for id in leaving { try setMove(of: subject(id), to: nil) }
            return moving
        }
        for (rank, id) in moving.enumerated() {
            try want(id, to: zone, rank, subject(id), notes.objects[subject(id)])
        }
        return moving
    }

    /// Whether the server cannot know any of the objects.
    private func areUnknown(_ ids: [ObjectID], _ places: [ObjectKey: Int64]) throws -> Bool {
        let keys = ids.map(\.key)
        let entries = try outbox(for: keys), states = try recordStates(for: keys)
        let isKnown = keys.contains { key in
            states[key]?.changeTag != nil || entries[key].map { $0.kind != .insert || $0.firstSequence == 0 } ?? false
        }
        guard !isKnown else { return false }
        return try Set(keys.map { places[$0] ?? 0 }).allSatisfy { zone in
            let unanswered = try ZoneReader(self, zone).unansweredInserts().sequences
            return keys.allSatisfy { unanswered[$0] == nil }
        }
    }

    private func want(
        _ id: ObjectID, to zone: Int64, _ rank: Int, _ subject: ZonedKey, _ note: MoveNote?
    ) throws {
        switch note?.state {
        case .gone(var gone):
            // It is not known yet where the object is.
            gone.then = zone
            try setMove(of: subject, to: MoveNote(entityName: id.entityName, state: .gone(gone)))
        case .wanted(var wanted):
            if let copy = wanted.copy, copy.zone != zone {
                try leave(copy, of: id)
                wanted.copy = nil
            }
            // Nothing was sent, so nothing is to be taken back.
            if zone == subject.zone, wanted.sent.isEmpty { return try setMove(of: subject, to: nil) }
            (wanted.to, wanted.rank) = (zone, rank)
            try setMove(of: subject, to: MoveNote(entityName: id.entityName, state: .wanted(wanted)))
        case .second, .leftover, .followsParent, nil:
            try setMove(
                of: subject,
                to: MoveNote(entityName: id.entityName, state: .wanted(WantedMove(to: zone, rank: rank))))
        }
    }

    /// Gives up a wanted move. The object keeps its zone.
    func endMove(of id: ObjectID, inZone zone: Int64) throws {
        let subject = ZonedKey(zone: zone, key: id.key)
        guard let wanted = try move(of: subject)?.wanted else { return }
        guard let copy = wanted.copy else { return try setMove(of: subject, to: nil) }
        // If the copy is not the object, the object is to stay here.
        let staying = WantedMove(to: zone, sent: wanted.sent)
        try setMove(
            of: subject,
            to: copy.mayHaveLeft ? MoveNote(entityName: id.entityName, state: .wanted(staying)) : nil)
        try leave(copy, of: id)
    }

    /// Blocks the change of an object that cannot move. The object stays in its zone.
    func block(
        _ sent: OutboxEntry, _ reason: String, isOfToken: Bool, inZone zone: Int64
    ) throws -> BlockedChange? {
        let id = sent.objectID
        var entry = try outbox(for: [id.key])[id.key] ?? sent
        // A later change has not been refused yet.
        guard entry.sequence == sent.sequence else { return nil }
        entry.blockedReason = "it cannot move to another zone: \(reason)"
        try ZoneWriter(self, zone).putOutbox([entry])
        if isOfToken { try setNote(.unauthorized, of: id.key, to: true) }
        return BlockedChange(objectID: id, kind: entry.kind, reason: entry.blockedReason ?? reason)
    }

    /// Notes that a copy in the target zone of a move is to be deleted. If the server may have taken the last step of
    /// the move, the copy may be the object. Its record was skipped when it came, so its zone is read again.
    func leave(_ copy: MovedCopy, of id: ObjectID) throws {
        guard try copy.zone == 0 || name(ofZone: copy.zone) != nil else { return }
        if copy.mayHaveLeft {
            let target = ZoneWriter((self as? ZoneWriter)?.writing ?? self, copy.zone)
            try target.beginAgain()
            return try target.setSweep(.reapply)
        }
        try setMove(
            of: ZonedKey(zone: copy.zone, key: id.key),
            to: MoveNote(entityName: id.entityName, state: .leftover(name: id.key.uuidString, tag: copy.tag)))
    }

    /// Notes the children of moved objects outside the zone: they are to follow. They did not move along, because they
    /// were not known then.
    ///
    /// - Returns: Whether there are any.
    @discardableResult
    func noteAstray(childrenOf keys: [ObjectKey], inZone zone: Int64, _ model: SyncedModel) throws -> Bool {
        let children = keys.isEmpty ? [] : try children(of: keys, model), places = try zones(of: children.map(\.key))
        var hasAny = false
        for child in children {
            let subject = ZonedKey(zone: places[child.key] ?? 0, key: child.key)
            guard subject.zone != zone, try move(of: subject) == nil else { continue }
            try setMove(of: subject, to: MoveNote(entityName: child.entityName, state: .followsParent))
            hasAny = true
        }
        return hasAny
    }

    /// Forgets notes about the journal's zone, which is lost. From now on the zone is a new one, or none. The copies of
    /// objects that go with the zone are given up: they are deleted, or are the objects now.
    ///
    /// - Parameter isRefilled: Whether this device sends its objects to the zone again.
    func forgetMoves(isRefilled: Bool) throws {
        guard let zone = (self as? any ZoneScoped)?.zone else { return }
        try forEachPageOfMoves { notes in
            for (subject, note) in notes.sorted { try forget(note, of: subject, lost: zone, isRefilled) }
        }
    }

    private func forget(_ note: MoveNote, of subject: ZonedKey, lost zone: Int64, _ isRefilled: Bool) throws {
        var note = note, copy: MovedCopy?
        switch note.state {
        case .wanted(var wanted) where subject.zone == zone && isRefilled || wanted.copy?.zone == zone:
            wanted.sent = []
            if wanted.copy?.zone == zone { wanted.copy = nil }
            wanted.copy?.source = nil
            note.state = .wanted(wanted)
            return try setMove(of: subject, to: note)
        case .wanted(let wanted): copy = wanted.copy
        case .gone(let gone):
            if isRefilled { return }
            copy = gone.copy
        case .followsParent: if isRefilled { return }
        case .second, .leftover: break
        }
        guard subject.zone == zone else { return }
        try setMove(of: subject, to: nil)
        if let copy { try leave(copy, of: ObjectID(entityName: note.entityName, key: subject.key)) }
    }
}
