import Backstitch

extension SyncNotes where Subject == ObjectKey, Value == MovesOfObject {
    /// The moves of objects.
    static var moves: Self { Self(prefix: "sync.moves/") }
}

extension JournalReading {
    /// The note about an object's record in a zone; nil if there is none.
    func move(of subject: ZonedKey) throws -> MoveNote? {
        try note(.moves, of: subject.key)?.notes[subject.zone]
    }

    /// Passes the notes of all moving objects to `body`, some objects at a time. `body` may change them.
    func forEachPageOfMoves(size: Int = MoveNotes.page, _ body: (MoveNotes) throws -> Void) throws {
        try forEachPage(of: .moves, size: size) { page in
            var notes = MoveNotes()
            for (key, moves) in page { notes.add(moves, of: key) }
            try body(notes)
        }
    }
}

extension JournalWriting {
    /// Writes the note about an object's record in a zone. Nil removes it.
    func setMove(of subject: ZonedKey, to note: MoveNote?) throws {
        var moves = try self.note(.moves, of: subject.key) ?? MovesOfObject()
        guard moves.notes[subject.zone] != note else { return }
        moves.notes[subject.zone] = note
        try setNote(.moves, of: subject.key, to: moves.notes.isEmpty ? nil : moves)
    }
}

// The simulator reads these numbers.
extension JournalReading {
    /// The number of unsent changes held back until it is known where their objects are.
    package func changesHeldBack() throws -> Int {
        var count = 0
        try forEachPageOfMoves { notes in
            let keys = notes.keys, places = try zones(of: keys)
            for entry in try outbox(for: keys).values {
                let key = entry.objectID.key
                let isGone = notes.objects[ZonedKey(zone: places[key] ?? 0, key: key)]?.gone != nil
                if isGone || notes.undecided.contains(key) && entry.kind != .update { count += 1 }
            }
        }
        return count
    }

    /// The number of objects that this device is still to move, or to find out about.
    package func movesUnderWay() throws -> Int {
        var count = 0
        try forEachPageOfMoves { notes in
            count += notes.objects.values.count { note in
                switch note.state {
                case .wanted, .followsParent, .second(_, _, isTold: false): true
                case .gone, .second, .leftover: false
                }
            }
        }
        return count
    }

    /// Whether objects are moving between zones, or may have been when they were deleted.
    func mayMoveObjects() throws -> Bool { try hasNotes(of: .moves) || hasNotes(of: .deletedBefore) }

    /// The number of objects that are still in a zone, but are to leave it.
    func countLeaving(_ zone: Int64?) throws -> Int {
        var count = 0
        try forEachPageOfMoves { notes in
            count += notes.objects.count { subject, note in
                subject.zone == zone && note.wanted.map { $0.to != zone } ?? false
            }
        }
        return count
    }
}

/// The notes about some objects, in all zones.
struct MoveNotes {
    /// The number of objects whose notes are read at once.
    static let page = 500

    private(set) var objects: [ZonedKey: MoveNote] = [:]
    /// The objects with a parked record in another zone, until it is decided about.
    private(set) var undecided: Set<ObjectKey> = []
    /// The zones with a record that stays parked for good, by object.
    private(set) var told: [ObjectKey: Set<Int64>] = [:]

    var isEmpty: Bool { objects.isEmpty }

    /// The objects, in order.
    var keys: [ObjectKey] { Set(objects.keys.map(\.key)).sorted() }

    /// The notes in order of their objects and zones.
    var sorted: [(subject: ZonedKey, note: MoveNote)] {
        objects.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    init() {}

    /// Reads the notes about some objects. It costs one read if no object of the store moves.
    init(_ journal: any JournalReading, of keys: some Collection<ObjectKey>) throws {
        guard !keys.isEmpty, try journal.hasNotes(of: .moves) else { return }
        for (key, moves) in try journal.notes(.moves, of: Array(keys)) { add(moves, of: key) }
    }

    mutating func add(_ moves: MovesOfObject, of key: ObjectKey) {
        for (zone, note) in moves.notes {
            objects[ZonedKey(zone: zone, key: key)] = note
            guard case .second(_, _, let isTold) = note.state else { continue }
            if isTold { told[key, default: []].insert(zone) } else { undecided.insert(key) }
        }
    }

    mutating func add(_ other: MoveNotes) {
        objects.merge(other.objects) { $1 }
        undecided.formUnion(other.undecided)
        told.merge(other.told) { $1 }
    }

    /// Whether a record is parked because nothing explains why its object is in another zone.
    var hasSecond: Bool { !undecided.isEmpty || !told.isEmpty }

    /// Whether an object is to leave a zone.
    func isToLeave(_ subject: ZonedKey) -> Bool { objects[subject]?.wanted.map { $0.to != subject.zone } ?? false }

    /// The objects of a zone whose changes are not sent for now, because their records are gone from it.
    func gone(fromZone zone: Int64) -> Set<ObjectKey> {
        Set(objects.compactMap { $0.zone == zone && $1.gone != nil ? $0.key : nil })
    }
}
