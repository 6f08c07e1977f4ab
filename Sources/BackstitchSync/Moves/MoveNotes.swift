import Backstitch

extension SyncNotes where Subject == ZonedKey, Value == MoveNote {
    /// The moves of objects, by the zones of their records.
    static var moves: Self { Self(prefix: "sync.moves/") }
}

// The simulator reads these numbers.
extension JournalReading {
    /// The number of unsent changes held back until it is known where their objects are.
    package func changesOnTheWay() throws -> Int {
        let notes = try MoveNotes(self), places = try zones(of: notes.objects.keys.map(\.key))
        let standing = Set(notes.objects.keys.map(\.zone)).flatMap { zone in
            notes.standing(inZone: zone).filter { places[$0] ?? 0 == zone }
        }
        let others = try outbox(for: notes.undecided.subtracting(standing).sorted()).values.count {
            $0.kind != .update
        }
        return try outbox(for: standing).count + others
    }

    /// The number of objects that this device is still to move, or to find out about.
    package func movesUnderWay() throws -> Int {
        try MoveNotes(self).objects.values.count { note in
            switch note.state {
            case .wanted, .followsParent, .second(_, _, isTold: false): true
            case .gone, .second, .leftover: false
            }
        }
    }

    /// Whether objects are moving between zones, or may have been when they were deleted.
    func mayMoveObjects() throws -> Bool {
        try !MoveNotes(self).isEmpty || !subjects(of: .deletedBefore).isEmpty
    }

    /// The number of objects that are still in a zone, but are to leave it.
    func countLeaving(_ zone: Int64?) throws -> Int {
        try MoveNotes(self).objects.count { subject, note in
            subject.zone == zone && note.wanted.map { $0.to != zone } ?? false
        }
    }
}

/// Everything a store knows about moving objects. All of it is read at once, since most stores have no moving objects.
struct MoveNotes {
    private(set) var objects: [ZonedKey: MoveNote] = [:]
    /// The objects with a parked record in another zone, until it is decided about.
    private(set) var undecided: Set<ObjectKey> = []
    /// The zones with a record that stays parked for good, by object.
    private(set) var told: [ObjectKey: Set<Int64>] = [:]

    var isEmpty: Bool { objects.isEmpty }

    init(_ journal: any JournalReading) throws {
        for (subject, note) in try journal.notes(.moves) {
            objects[subject] = note
            guard case .second(_, _, let isTold) = note.state else { continue }
            if isTold { told[subject.key, default: []].insert(subject.zone) } else { undecided.insert(subject.key) }
        }
    }

    /// Whether a record is parked because nothing explains why its object is in another zone.
    var hasSecond: Bool { !undecided.isEmpty || !told.isEmpty }

    /// Whether an object is to leave a zone.
    func isToLeave(_ subject: ZonedKey) -> Bool { objects[subject]?.wanted.map { $0.to != subject.zone } ?? false }

    /// The objects of a zone whose changes are not sent for now, because their records are gone from it.
    func standing(inZone zone: Int64) -> Set<ObjectKey> {
        Set(objects.compactMap { $0.zone == zone && $1.gone != nil ? $0.key : nil })
    }
}
