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
        ///   - isOwn: Whether this device has marked it, and brings it to the other zone.
        ///   - since: When another's mark was met that has led nowhere yet, in milliseconds since 1970.
        case marked(MoveMark, name: String, tag: String?, isOwn: Bool, since: Int64?)
        /// It is in another zone, and nothing is to be left of its record here, but that mark, once the server has the
        /// other one. Without a mark the record is to be deleted.
        case leftBehind(MoveMark?, name: String, tag: String?)
        /// It is in another zone, where the server does not have it yet, and the records of this one were lost. Nothing
        /// is to be done here; but where the other zone is lost too, it comes back.
        case homeless(name: String)
        /// Its record in this zone is parked, since the object is in another zone, and nothing says that it has left
        /// that one: the news of it may be later than those of where it is, there may be two records where a zone was
        /// lost and filled again or a server has gone back, and anybody may have given a record that name.
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

extension SyncNotes where Subject == ZonedKey, Value == MoveNote {
    /// The moves of objects, by the zones that they leave.
    static var moves: Self { Self(prefix: "sync.moves/") }
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
    var leaving: [ZonedKey] {
        objects.compactMap { subject, note in
            switch note.state {
            case .wanted(to: .some), .marked(_, _, _, isOwn: true, _): subject
            case .wanted, .marked, .leftBehind, .homeless, .unexplained, .astray: nil
            }
        }
    }

    /// The objects that have left another zone, whose records are made where they are now, whatever they are by now.
    func arriving() -> Set<ObjectKey> {
        Set(
            objects.compactMap { subject, note in
                switch note.state {
                case .leftBehind(.some, _, _), .homeless: subject.key
                case .leftBehind, .wanted, .marked, .unexplained, .astray: nil
                }
            })
    }

    /// The objects of a zone of which nothing is sent for now: they are on their way to another one, or have come back
    /// while their former record is still there.
    func standing(inZone zone: Int64) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for (subject, note) in objects where subject.zone == zone {
            switch note.state {
            case .marked, .leftBehind: keys.insert(subject.key)
            case .wanted, .astray, .unexplained, .homeless: break
            }
        }
        return keys
    }
}

extension JournalWriting {
    /// Forgets moves out of the zone that the journal is of: it is another one from now on, or none.
    ///
    /// - Parameter isRefilled: Whether this device brings its objects there again: also those that have left it and
    ///   get nowhere else.
    func forgetMoves(isRefilled: Bool) throws {
        guard let zone = (self as? any ZoneScoped)?.zone else { return }
        let left = try notes(.moves).filter { $0.subject.zone == zone }
        let places = isRefilled ? try zones(of: left.map(\.subject.key)) : [:]
        let states = isRefilled ? try recordStates(for: left.map(\.subject.key)) : [:]
        for (subject, note) in left {
            let key = subject.key
            var state: MoveNote.State?
            if isRefilled, places[key] ?? 0 != zone, states[key]?.changeTag == nil, let name = note.nameLeft {
                state = .homeless(name: name)
            }
            try setNote(.moves, of: subject, to: state.map { MoveNote(entityName: note.entityName, state: $0) })
        }
    }

    /// Has objects go back where they came from that were to move to a zone, as far as the server has not got them
    /// there: the zone is gone, or what was to be sent of them is given up. Those that were deleted on their way are to
    /// be deleted there.
    ///
    /// - Parameter given: The objects whose changes are given up: those that the server has where they came from. Nil
    ///   for all that were to move.
    func takeBackMoves(to zone: Int64, givenUp given: Set<ObjectKey>? = nil) throws {
        let left = try notes(.moves).filter { subject, note in
            guard note.nameLeft != nil, subject.zone != zone else { return false }
            return given.map { $0.contains(subject.key) && !note.isHomeless } ?? true
        }
        let keys = left.map(\.subject.key)
        let places = try zones(of: keys), states = try recordStates(for: keys), entries = try outbox(for: keys)
        for (subject, note) in left where places[subject.key] ?? 0 == zone && states[subject.key]?.changeTag == nil {
            guard let name = note.nameLeft else { continue }
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
        case .wanted, .marked, .unexplained, .astray: nil
        }
    }

    /// Whether its record there is gone.
    fileprivate var isHomeless: Bool { if case .homeless = state { true } else { false } }

    /// The tag of that record; nil where there is none.
    fileprivate var tagLeft: String? {
        if case .leftBehind(_, _, let tag) = state { tag } else { nil }
    }
}
