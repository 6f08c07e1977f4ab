import Backstitch
import CloudWire

// A zone may be lost during a move. Objects without a record in any zone then return to their former zone.

extension JournalWriting {
    /// Forgets moves out of the journal's zone. From now on the zone is a new one, or none.
    ///
    /// - Parameter isRefilled: Whether this device sends its objects to the zone again. This includes objects that have
    ///   left the zone and have not arrived in another one.
    func forgetMoves(isRefilled: Bool, _ model: SyncedModel) throws {
        guard let zone = (self as? any ZoneScoped)?.zone else { return }
        let all = try notes(.moves), left = all.filter { $0.subject.zone == zone }
        // Nothing is known any more about objects that other devices have brought here.
        let emptied = all.filter { if case .emptied = $0.value.state { $0.subject.zone != zone } else { false } }
        let home = try zones(of: emptied.map(\.subject.key))
        for (subject, _) in emptied where home[subject.key] ?? 0 == zone { try removeNote(.moves, of: subject) }
        let keys = left.map(\.subject.key)
        let places = try zones(of: keys), states = try recordStates(for: keys)
        for (subject, note) in left {
            let hasArrived = places[subject.key] ?? 0 == zone || states[subject.key]?.changeTag != nil
            let name = isRefilled && !hasArrived ? note.nameLeft : nil
            try setNote(
                .moves, of: subject,
                to: name.map { MoveNote(entityName: note.entityName, state: .recordsLost(name: $0)) })
        }
        guard isRefilled else { return }
        try noteApart(left.filter { places[$0.subject.key] ?? 0 == zone && $0.value.isUnderWay }, model)
    }

    /// Notes that objects are to rejoin their parents, and their children are to rejoin them. The moves of these
    /// objects are forgotten. But relatives unknown to the server have already reached the other zone.
    private func noteApart(_ staying: [(subject: ZonedKey, value: MoveNote)], _ model: SyncedModel) throws {
        for (subject, note) in staying {
            try setNote(.moves, of: subject, to: MoveNote(entityName: note.entityName, state: .followsParent))
        }
        let children = try children(of: staying.map(\.subject.key), model), places = try zones(of: children.map(\.key))
        for child in children {
            let subject = ZonedKey(zone: places[child.key] ?? 0, key: child.key)
            if try hasNote(.moves, of: subject) { continue }
            try setNote(.moves, of: subject, to: MoveNote(entityName: child.entityName, state: .followsParent))
        }
    }

    /// Sends objects back to their former zones, if the server does not have them in the given zone yet. Either the
    /// given zone is gone, or the unsent changes of the objects are given up. Objects deleted during the move are to be
    /// deleted in their former zones.
    ///
    /// - Parameter given: The objects whose changes are given up, if the server has them in their former zones. Nil for
    ///   all objects that were to move to the zone.
    /// - Returns: Whether the former zones now have something to send.
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
            // If nothing of the object is unsent, the other zone has accepted its deletion.
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
    /// The name of the record in the zone that the object has left. Nil if it has not left.
    fileprivate var nameLeft: String? {
        switch state {
        case .formerRecord(_, let name, _), .recordsLost(let name): name
        case .wanted, .marked, .deletionInDoubt, .emptied, .unexplained, .followsParent: nil
        }
    }

    /// Whether the object still has to leave the zone.
    fileprivate var isUnderWay: Bool {
        switch state {
        case .wanted(to: .some), .marked: true
        case .wanted, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained, .followsParent: false
        }
    }

    /// Whether the record in the former zone is gone.
    fileprivate var isHomeless: Bool { if case .recordsLost = state { true } else { false } }

    /// The tag of the record in the former zone; nil if there is none.
    fileprivate var tagLeft: String? {
        if case .formerRecord(_, _, let tag) = state { tag } else { nil }
    }
}
