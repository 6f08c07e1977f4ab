import Backstitch
import CloudWire
import Foundation

extension SyncNotes where Subject == ZonedKey, Value == MoveNote {
    /// The moves of objects, by the zones that they leave.
    static var moves: Self { Self(prefix: "sync.moves/") }
}

// For the simulator.
extension JournalReading {
    /// How many unsent changes wait for their objects' way to another zone, on which they are or on which an earlier
    /// record stands.
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

    /// How many objects a device still takes to where they belong, be it that it waits for another one first.
    package func movesUnderWay() throws -> Int {
        try MoveNotes(self).objects.values.count { note in
            switch note.state {
            case .wanted, .marked, .astray: true
            case .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained: false
            }
        }
    }
}

/// All that a store knows of objects on their way from one zone to another: read with one look, since most stores have
/// none.
struct MoveNotes {
    private(set) var objects: [ZonedKey: MoveNote] = [:]

    var isEmpty: Bool { objects.isEmpty }

    /// Whether a record is parked since nothing says why its object is where it is.
    var hasUnexplained: Bool {
        objects.values.contains { if case .unexplained = $0.state { true } else { false } }
    }

    init(_ journal: any JournalReading) throws {
        for (subject, note) in try journal.notes(.moves) { objects[subject] = note }
    }

    /// The zones of the server with which records of a zone are to be marked; nil for those whose mark is to go.
    func marks(inZone zone: Int64) -> [ObjectKey: String?] {
        var marks: [ObjectKey: String?] = [:]
        for (subject, note) in objects where subject.zone == zone {
            if case .wanted(let place) = note.state { marks.updateValue(place, forKey: subject.key) }
        }
        return marks
    }

    /// The objects that this device takes out of zones in which they still are.
    var takenAway: [ZonedKey] {
        objects.compactMap { subject, note in
            switch note.state {
            case .wanted(to: .some), .marked(_, _, _, isOwn: true, _): subject
            case .wanted, .marked, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained, .astray: nil
            }
        }
    }

    /// Whether an object is on its way out of a zone, or about to leave it.
    func isToLeave(_ subject: ZonedKey) -> Bool {
        switch objects[subject]?.state {
        case .wanted(to: .some), .marked: true
        case .wanted, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained, .astray, nil: false
        }
    }

    /// The objects that have left another zone, whose records are made where they are now, whatever they are by now.
    func arriving() -> Set<ObjectKey> {
        Set(
            objects.compactMap { subject, note in
                switch note.state {
                case .leftBehind(.some, _, _), .deletedBehind, .emptied, .homeless: subject.key
                case .leftBehind, .wanted, .marked, .unexplained, .astray: nil
                }
            })
    }

    /// The zones in which some objects have left marked records.
    func zonesLeft(by keys: Set<ObjectKey>) -> Set<Int64> {
        Set(left.filter { keys.contains($0.key) }.map(\.zone))
    }

    /// The objects that have left marked records in a zone.
    func keysLeft(inZone isMeant: (Int64) -> Bool) -> Set<ObjectKey> {
        Set(left.filter { isMeant($0.zone) }.map(\.key))
    }

    /// Whether an object has left a marked record in another zone, which nobody is known to have emptied or deleted.
    func isArriving(_ key: ObjectKey) -> Bool { isEmptied(key) || left.contains { $0.key == key } }

    /// Whether another device has brought an object to the zone in which it is.
    func isEmptied(_ key: ObjectKey) -> Bool {
        objects.contains { subject, note in
            if subject.key == key, case .emptied = note.state { true } else { false }
        }
    }

    /// The objects of which it is still to be found out how they have come to a record in another zone than their own.
    var undecided: Set<ObjectKey> {
        Set(objects.compactMap { if case .unexplained(_, isTold: false) = $1.state { $0.key } else { nil } })
    }

    private var left: [ZonedKey] {
        objects.compactMap { if case .leftBehind(.some, _, _) = $1.state { $0 } else { nil } }
    }

    /// The objects of a zone of which nothing is sent for now: they are on their way to another one, or have come back
    /// while their former record is still there; and those of any zone of which it is not decided whether they are
    /// deleted.
    func standing(inZone zone: Int64) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for (subject, note) in objects {
            switch note.state {
            case .deletedBehind, .emptied: keys.insert(subject.key)
            case .marked, .leftBehind, .unexplained: if subject.zone == zone { keys.insert(subject.key) }
            case .wanted, .astray, .homeless: break
            }
        }
        return keys
    }
}
