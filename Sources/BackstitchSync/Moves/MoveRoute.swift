import Backstitch

/// The way from one zone of the store to another, with the objects that are to take it.
struct MoveRoute: Sendable {
    let from: Int64
    let to: Int64
    /// The objects: parents before their children.
    let keys: [ObjectKey]
}

private struct Way: Hashable {
    let from: Int64
    let to: Int64
}

extension JournalReading {
    /// The routes that objects are to take. The notes are read a part at a time, and only the keys are kept.
    func routes() throws -> [MoveRoute] {
        var found: [Way: [(rank: Int, key: ObjectKey)]] = [:]
        try forEachPageOfMoves { notes in
            for (subject, note) in notes.objects {
                guard let wanted = note.wanted, wanted.to != subject.zone else { continue }
                found[Way(from: subject.zone, to: wanted.to), default: []].append((wanted.rank, subject.key))
            }
        }
        return found.sorted { ($0.key.to, $0.key.from) < ($1.key.to, $1.key.from) }.map { way, objects in
            let ordered = objects.sorted { ($0.rank, $0.key) < ($1.rank, $1.key) }
            return MoveRoute(from: way.from, to: way.to, keys: ordered.map(\.key))
        }
    }
}
