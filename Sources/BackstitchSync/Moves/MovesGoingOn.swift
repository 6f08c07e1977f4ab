import Backstitch
import Foundation

extension SyncNotes where Subject == ObjectKey, Value == OnwardMove {
    /// The moves that begin when others have ended.
    static var onward: Self { Self(prefix: "sync.onward/") }
}

/// Objects that were moved while they were on their way to another zone. They end that way first, since others may know
/// of it, and go on from where they get to. Where another device has moved them elsewhere meanwhile, its move stands.
struct MovesGoingOn {
    /// The objects that begin to leave their zones now, by the numbers of those to which they go.
    fileprivate(set) var beginning: [Int64: [ObjectID]] = [:]
    /// Whether zones must be read before more can go on.
    fileprivate(set) var needsReading = false
}

extension JournalWriting {
    /// Takes the moves that can go on from their notes, and forgets those that have come to an end. Called on the whole
    /// store's journal.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of zones by their names on the server.
    ///   - isRead: Whether everything was read that may say where the objects of a zone are.
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
            case .wanted, .marked, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained: continue
            case .astray, nil: break
            }
            let isOnTheWay = place == move.from || move.through.contains { numbers[$0] == place }
            // The object, or the zone, may be gone.
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
            // The mark goes with the change; and a zone may have been made since this began.
            guard unsent[key]?.blockedReason == nil, numbers.values.contains(move.to) else { continue }
            try removeNote(.onward, of: key)
            going.beginning[move.to, default: []].append(id)
        }
        return going
    }
}

extension JournalReading {
    /// Whether objects are on their way from one zone to another, or may have been when they were deleted.
    func mayMoveObjects() throws -> Bool {
        try !MoveNotes(self).isEmpty || !subjects(of: .onward).isEmpty || !subjects(of: .deletedBefore).isEmpty
    }

    /// How many objects of a zone are to move to another one, and are not there yet.
    func countLeaving(_ zone: Int64?) throws -> Int {
        let leaving = try MoveNotes(self).takenAway.filter { $0.zone == zone }.map(\.key)
        let onward = try notes(.onward).filter { $0.value.to != zone }.map(\.subject)
        let places = try zones(of: onward)
        return Set(leaving).union(onward.filter { places[$0] ?? 0 == zone }).count
    }

    /// The objects of these keys that are here.
    fileprivate func objectIDs(of keys: [ObjectKey], _ model: SyncedModel) throws -> [ObjectKey: ObjectID] {
        var ids: [ObjectKey: ObjectID] = [:]
        for entity in model.heldEntities.map(\.entity) {
            let rows = try rows(of: entity, keys: keys)
            for row in 0..<rows.count { ids[rows.keys[row]] = rows.objectID(at: row) }
        }
        return ids
    }
}
