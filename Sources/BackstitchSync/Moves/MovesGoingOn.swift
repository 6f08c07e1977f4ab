import Backstitch
import Foundation

extension SyncNotes where Subject == ObjectKey, Value == OnwardMove {
    /// The further moves: each begins when another move of the same object has ended.
    static var onward: Self { Self(prefix: "sync.onward/") }
}

/// Objects that were moved again during a move. They finish the first move, since other devices may know of it, and
/// then go on from there. If another device has moved an object elsewhere meanwhile, the other device's move stands.
struct MovesGoingOn {
    /// The objects whose further move begins now, by the number of the target zone.
    fileprivate(set) var beginning: [Int64: [ObjectID]] = [:]
    /// Whether zones must be read before more objects can go on.
    fileprivate(set) var needsReading = false
}

extension JournalWriting {
    /// Takes the further moves that can begin now, and removes their notes. Notes of moves without an object, a zone or
    /// a purpose are removed too. Called on the journal of the whole store.
    ///
    /// - Parameter numbers: The numbers of zones by their names on the server.
    /// - Parameter isRead: Whether everything about the objects of a zone was read.
    func takeMovesGoingOn(
        _ model: SyncedModel, numbers: [String: Int64], isRead: (Int64) -> Bool
    ) throws -> MovesGoingOn {
        var going = MovesGoingOn()
        let notes = try notes(.onward)
        guard !notes.isEmpty else { return going }
        let keys = notes.map(\.subject), moves = try MoveNotes(self), ids = try objectIDs(of: keys, model)
        let places = try zones(of: keys), unsent = try outbox(for: keys)
        for (key, move) in notes {
            let place = places[key] ?? 0
            switch moves.objects[ZonedKey(zone: place, key: key)]?.state {
            case .wanted, .marked, .formerRecord, .deletionInDoubt, .emptied, .recordsLost, .unexplained: continue
            case .followsParent, nil: break
            }
            let isOnTheWay = place == move.from || move.through.contains { numbers[$0] == place }
            // The object or the target zone may no longer exist.
            guard let id = ids[key], isOnTheWay, place != move.to,
                try move.to == 0 || name(ofZone: move.to) != nil
            else {
                try removeNote(.onward, of: key)
                continue
            }
            guard isRead(place) else {
                going.needsReading = true
                continue
            }
            // The mark is sent with the object's change, so a blocked change must wait. The zone may also be newer than
            // `numbers`.
            guard unsent[key]?.blockedReason == nil, numbers.values.contains(move.to) else { continue }
            try removeNote(.onward, of: key)
            going.beginning[move.to, default: []].append(id)
        }
        return going
    }
}

extension JournalReading {
    /// Whether objects are moving between zones, or may have been when they were deleted.
    func mayMoveObjects() throws -> Bool {
        try !MoveNotes(self).isEmpty || !subjects(of: .onward).isEmpty || !subjects(of: .deletedBefore).isEmpty
    }

    /// The number of objects that are still in a zone, but are to leave it.
    func countLeaving(_ zone: Int64?) throws -> Int {
        let leaving = try MoveNotes(self).takenAway.filter { $0.zone == zone }.map(\.key)
        let onward = try notes(.onward).filter { $0.value.to != zone }.map(\.subject)
        let places = try zones(of: onward)
        return Set(leaving).union(onward.filter { places[$0] ?? 0 == zone }).count
    }

    /// The IDs of the objects with these keys, as far as they are in the store.
    fileprivate func objectIDs(of keys: [ObjectKey], _ model: SyncedModel) throws -> [ObjectKey: ObjectID] {
        var ids: [ObjectKey: ObjectID] = [:]
        for entity in model.heldEntities.map(\.entity) {
            let rows = try rows(of: entity, keys: keys)
            for row in 0..<rows.count { ids[rows.keys[row]] = rows.objectID(at: row) }
        }
        return ids
    }
}
