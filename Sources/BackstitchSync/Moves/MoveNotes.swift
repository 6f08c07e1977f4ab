import Backstitch
import CloudWire
import Foundation

/// An object in one zone: it may be known in two while it moves.
struct ZonedKey: Hashable, SyncNoteSubject {
    let zone: Int64
    let key: ObjectKey

    init(zone: Int64, key: ObjectKey) { (self.zone, self.key) = (zone, key) }

    init?(noteName: String) {
        let parts = noteName.split(separator: "/")
        guard parts.count == 2, let zone = Int64(parts[0]), let key = ObjectKey(uuidString: String(parts[1])) else {
            return nil
        }
        self.init(zone: zone, key: key)
    }

    var noteName: String { "\(zone)/\(key.uuidString)" }
}

/// How far an object's move out of a zone has got.
struct MoveNote: Codable, Hashable {
    enum State: Codable, Hashable {
        /// Its record is to be marked with that zone of the server; nil takes the mark away again.
        case wanted(to: String?)
        /// Its record has the mark. Nothing of it is sent to the zone any more.
        ///
        /// - Parameters:
        ///   - tag: Nil where the record is gone.
        ///   - isOwn: Whether this device has marked it, and brings it to the other zone.
        ///   - since: When another's mark was met that has led nowhere yet, in milliseconds since 1970.
        case marked(MoveMark, name: String, tag: String?, isOwn: Bool, since: Int64?)
        /// It is in another zone, and nothing is to be left of its record here, but that mark, once the server has the
        /// other one. Without a mark the record is to be deleted: it may also be an old one in the way of an object
        /// that has come back.
        case leftBehind(MoveMark?, name: String, tag: String?)
        /// It is in another zone, and its marked record, from which nothing was taken yet, is not here any more.
        /// Somebody has deleted it who did not know that it was in the other zone, or who brings it back, or the server
        /// has lost it; see ``DeletedBehind``. Nothing is sent of the object until that is decided.
        ///
        /// - Parameter isTold: Whether the feed has told of its deletion.
        case deletedBehind(MoveMark, isTold: Bool)
        /// It is in another zone, to which another device has brought it too: that one has emptied its record here.
        /// Nothing is sent of it until its record there has come. The server is asked for that: where it has none,
        /// somebody has deleted the object.
        case emptied(MoveMark)
        /// It is in another zone, where the server does not have it yet, and the records of this one were lost. Nothing
        /// is to be done here; but where the other zone is lost too, it comes back.
        case homeless(name: String)
        /// Its record in this zone is parked, since the object is in another zone, and nothing says that it has left
        /// that one: the news of it may be later than those of where it is, there may be two records where a zone was
        /// lost and filled again or a server has gone back, and anybody may have given a record that name. Or the
        /// object is on its way to this zone, and its former record here would look the same. Until that has turned out
        /// a deletion of the object is not sent: it may have to be weighed against this record.
        ///
        /// - Parameter isTold: Whether it has turned out that nothing will say so.
        case unexplained(name: String, isTold: Bool)
        /// Its parent is in another zone: it is to follow.
        case astray
    }

    let entityName: String
    var state: State
}

extension MoveNote {
    /// A move whose mark the server has taken from here.
    init(markedAs item: PushItem, to zone: String, tag: String?) {
        let name = item.operation.record.recordName
        self.init(
            entityName: item.entry.objectID.entityName,
            state: .marked(MoveMark(zone), name: name, tag: tag, isOwn: true, since: nil))
    }
}

extension MoveNote {
    /// The note after the record was found missing, or its deletion was told; nil where nothing is left to decide.
    func withoutRecord(isTold: Bool) -> MoveNote? {
        switch state {
        case .leftBehind(let mark?, _, _) where !mark.isDone, .deletedBehind(let mark, _):
            MoveNote(entityName: entityName, state: .deletedBehind(mark, isTold: isTold))
        case .emptied: self
        case .leftBehind, .wanted, .marked, .homeless, .unexplained, .astray: nil
        }
    }

    /// The note after the marked record of an object that is still here is gone; nil for others. That may have been
    /// deleted with the object, or out of the way of it: it was in the other zone since, and comes back. The zones
    /// tell, as they do of one that has moved.
    var withoutMarkedRecord: MoveNote? {
        guard case .marked(let mark, let name, _, _, _) = state else { return nil }
        let gone = MoveMark(mark.zone, isDone: true)
        return MoveNote(
            entityName: entityName, state: .marked(gone, name: name, tag: nil, isOwn: false, since: nil))
    }
}

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

extension MoveNote: SyncPropertyValue {
    init(storedForm: Data) throws { self = try JSONDecoder().decode(Self.self, from: storedForm) }
    var storedForm: Data? { get throws { try JSONEncoder().encode(self) } }
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
