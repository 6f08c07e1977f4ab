import Backstitch
import CloudWire
import Foundation

extension SyncNotes where Subject == ZonedKey, Value == MoveNote {
    /// The moves of objects, by their source zones.
    static var moves: Self { Self(prefix: "sync.moves/") }
}

// The simulator reads these numbers.
extension JournalReading {
    /// The number of unsent changes held back by a move. Their object is moving to another zone, or an earlier record
    /// is in its way.
    package func changesOnTheWay() throws -> Int {
        let notes = try MoveNotes(self), places = try zones(of: notes.objects.keys.map(\.key))
        let standing = Set(notes.objects.keys.map(\.zone)).flatMap { zone in
            notes.standing(inZone: zone).filter { places[$0] ?? 0 == zone }
        }
        let deletions = try outbox(for: notes.undecided.subtracting(standing).sorted()).values.count {
            $0.kind == .delete
        }
        return try outbox(for: standing).count + deletions
    }

    /// The number of objects a device still has to move, even if it waits for another device first.
    package func movesUnderWay() throws -> Int {
        try MoveNotes(self).objects.values.count { note in
            switch note.state {
            case .wanted, .marked, .followsParent: true
            case .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained: false
            }
        }
    }
}

/// Everything a store knows about moving objects. All of it is read at once, since most stores have no moving objects.
struct MoveNotes {
    private(set) var objects: [ZonedKey: MoveNote] = [:]

    var isEmpty: Bool { objects.isEmpty }

    /// Whether a record is parked because nothing explains why its object is in another zone.
    var hasUnexplained: Bool {
        objects.values.contains { if case .unexplained = $0.state { true } else { false } }
    }

    init(_ journal: any JournalReading) throws {
        for (subject, note) in try journal.notes(.moves) { objects[subject] = note }
    }

    /// The marks to be set on records of a zone: names of zones on the server. Nil for a mark to be removed.
    func marks(inZone zone: Int64) -> [ObjectKey: String?] {
        var marks: [ObjectKey: String?] = [:]
        for (subject, note) in objects where subject.zone == zone {
            if case .wanted(let place) = note.state { marks.updateValue(place, forKey: subject.key) }
        }
        return marks
    }

    /// The objects that this device is moving, with their source zones, until they have left these zones.
    var takenAway: [ZonedKey] {
        objects.compactMap { subject, note in
            switch note.state {
            case .wanted(to: .some), .marked(_, _, _, isOwn: true, _): subject
            case .wanted, .marked, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained,
                .followsParent:
                nil
            }
        }
    }

    /// Whether an object is moving out of a zone, or is about to.
    func isToLeave(_ subject: ZonedKey) -> Bool {
        switch objects[subject]?.state {
        case .wanted(to: .some), .marked: true
        case .wanted, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained, .followsParent, nil: false
        }
    }

    /// The objects that have left another zone. Their records are made in their present zone. The state of their former
    /// records does not matter.
    func arriving() -> Set<ObjectKey> {
        Set(
            objects.compactMap { subject, note in
                switch note.state {
                case .formerRecord(.some, _, _), .deletionInDoubt, .emptied, .recordsLost: subject.key
                case .formerRecord, .wanted, .marked, .unexplained, .followsParent: nil
                }
            })
    }

    /// The zones that hold marked records of these objects, left behind by a move.
    func zonesLeft(by keys: Set<ObjectKey>) -> Set<Int64> {
        Set(left.filter { keys.contains($0.key) }.map(\.zone))
    }

    /// The objects with marked records in the given zones, left behind by a move.
    func keysLeft(inZone isMeant: (Int64) -> Bool) -> Set<ObjectKey> {
        Set(left.filter { isMeant($0.zone) }.map(\.key))
    }

    /// Whether an object has left a record in another zone: either still marked, or emptied by another device.
    func isArriving(_ key: ObjectKey) -> Bool { isEmptied(key) || left.contains { $0.key == key } }

    /// Whether another device has brought an object to its present zone, and has emptied its former record.
    func isEmptied(_ key: ObjectKey) -> Bool {
        objects.contains { subject, note in
            if subject.key == key, case .emptied = note.state { true } else { false }
        }
    }

    /// The objects with an unexplained record in another zone, until it is decided about.
    var undecided: Set<ObjectKey> {
        Set(objects.compactMap { if case .unexplained(_, isTold: false) = $1.state { $0.key } else { nil } })
    }

    private var left: [ZonedKey] {
        objects.compactMap { if case .formerRecord(.some, _, _) = $1.state { $0 } else { nil } }
    }

    /// The objects of a zone whose changes are not sent for now. They are moving to another zone, or have come back
    /// while their former record still exists. Objects of any zone are included while it is undecided whether they are
    /// deleted.
    func standing(inZone zone: Int64) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for (subject, note) in objects {
            switch note.state {
            case .deletionInDoubt, .emptied: keys.insert(subject.key)
            case .marked, .formerRecord, .unexplained: if subject.zone == zone { keys.insert(subject.key) }
            case .wanted, .followsParent, .recordsLost: break
            }
        }
        return keys
    }
}
