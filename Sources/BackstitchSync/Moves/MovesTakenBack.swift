import Backstitch
import CloudWire

// Zones are lost while objects are on their way between them: what the server has in neither goes back where it came
// from.

extension JournalWriting {
    /// Forgets moves out of the zone that the journal is of: it is another one from now on, or none.
    ///
    /// - Parameter isRefilled: Whether this device brings its objects there again: also those that have left it and
    ///   get nowhere else.
    func forgetMoves(isRefilled: Bool, _ model: SyncedModel) throws {
        guard let zone = (self as? any ZoneScoped)?.zone else { return }
        let all = try notes(.moves), left = all.filter { $0.subject.zone == zone }
        // Of what others have brought here nothing is known any more.
        let emptied = all.filter { if case .emptied = $0.value.state { $0.subject.zone != zone } else { false } }
        let home = try zones(of: emptied.map(\.subject.key))
        for (subject, _) in emptied where home[subject.key] ?? 0 == zone { try removeNote(.moves, of: subject) }
        let keys = left.map(\.subject.key)
        let places = try zones(of: keys), states = try recordStates(for: keys)
        for (subject, note) in left {
            let hasArrived = places[subject.key] ?? 0 == zone || states[subject.key]?.changeTag != nil
            let name = isRefilled && !hasArrived ? note.nameLeft : nil
            try setNote(
                .moves, of: subject, to: name.map { MoveNote(entityName: note.entityName, state: .homeless(name: $0)) })
        }
        guard isRefilled else { return }
        try noteApart(left.filter { places[$0.subject.key] ?? 0 == zone && $0.value.isUnderWay }, model)
    }

    /// Has objects be with their parents again, and their children with them, whose moves are forgotten, while the
    /// others, of which the server knew nothing, have got to the other zone at once.
    private func noteApart(_ staying: [(subject: ZonedKey, value: MoveNote)], _ model: SyncedModel) throws {
        for (subject, note) in staying {
            try setNote(.moves, of: subject, to: MoveNote(entityName: note.entityName, state: .astray))
        }
        let children = try children(of: staying.map(\.subject.key), model), places = try zones(of: children.map(\.key))
        for child in children {
            let subject = ZonedKey(zone: places[child.key] ?? 0, key: child.key)
            if try hasNote(.moves, of: subject) { continue }
            try setNote(.moves, of: subject, to: MoveNote(entityName: child.entityName, state: .astray))
        }
    }

    /// Has objects go back where they came from that were to move to a zone, as far as the server has not got them
    /// there: the zone is gone, or what was to be sent of them is given up. Those that were deleted on their way are to
    /// be deleted there.
    ///
    /// - Parameter given: The objects whose changes are given up: those that the server has where they came from. Nil
    ///   for all that were to move.
    /// - Returns: Whether something is to be sent since to where they came from.
    @discardableResult
    func takeBackMoves(to zone: Int64, givenUp given: Set<ObjectKey>? = nil) throws -> Bool {
        let left = try notes(.moves).filter { subject, note in
            guard note.nameLeft != nil, subject.zone != zone else { return false }
            return given.map { $0.contains(subject.key) && !note.isHomeless } ?? true
        }
        let keys = left.map(\.subject.key)
        let places = try zones(of: keys), states = try recordStates(for: keys), entries = try outbox(for: keys)
        var hasUnsent = false
        for (subject, note) in left where places[subject.key] ?? 0 == zone && states[subject.key]?.changeTag == nil {
            guard let name = note.nameLeft else { continue }
            hasUnsent = true
            let id = ObjectID(entityName: note.entityName, key: subject.key)
            let former = ZoneWriter(self, subject.zone)
            let foreignName = name == id.key.uuidString ? nil : name
            try former.putRecordStates([
                RecordState(
                    objectID: id, foreignName: foreignName, changeTag: note.tagLeft,
                    unknownFields: states[id.key]?.unknownFields)
            ])
            // Where nothing is unsent of it, the other zone has taken its deletion.
            var entry = try entries[id.key] ?? deletion(of: id)
            if note.isHomeless, entry.kind != .delete { entry.makeAnew() }
            try former.putOutbox([entry])
            if note.isHomeless || entry.kind == .delete && given == nil {
                try removeNote(.moves, of: subject)
            } else {
                try takeMarkBack(of: id, inZone: subject.zone)
            }
        }
        return hasUnsent
    }

    private func deletion(of id: ObjectID) throws -> OutboxEntry {
        let sequence = try lastTransactionNumber()
        return OutboxEntry(objectID: id, kind: .delete, sequence: sequence, firstSequence: sequence)
    }
}

extension MoveNote {
    /// The name of the record in the zone that the object has left; nil for one that has not.
    fileprivate var nameLeft: String? {
        switch state {
        case .leftBehind(_, let name, _), .homeless(let name): name
        case .wanted, .marked, .deletedBehind, .emptied, .unexplained, .astray: nil
        }
    }

    /// Whether the object is still to leave the zone.
    fileprivate var isUnderWay: Bool {
        switch state {
        case .wanted(to: .some), .marked: true
        case .wanted, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained, .astray: false
        }
    }

    /// Whether its record there is gone.
    fileprivate var isHomeless: Bool { if case .homeless = state { true } else { false } }

    /// The tag of that record; nil where there is none.
    fileprivate var tagLeft: String? {
        if case .leftBehind(_, _, let tag) = state { tag } else { nil }
    }
}
