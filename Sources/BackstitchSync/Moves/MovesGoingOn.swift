import Backstitch

/// Objects that were moved while they were on their way to another zone. They end that way first, since others may know
/// of it, and go on from where they get to.
struct MovesGoingOn {
    /// The objects that begin to leave their zones now, by the numbers of those to which they go.
    private(set) var beginning: [Int64: [ObjectID]] = [:]
    /// Whether zones must be read before more can go on.
    private(set) var needsReading = false

    /// Forgets those that have come to an end.
    ///
    /// - Parameters:
    ///   - journal: The whole store's.
    ///   - isRead: Whether everything was read that may say where the objects of a zone are.
    init(in journal: any JournalWriting, _ model: SyncedModel, isRead: (Int64) -> Bool) throws {
        let notes = try journal.notes(.onward)
        guard !notes.isEmpty else { return }
        let keys = notes.map(\.subject), moves = try MoveNotes(journal), ids = try journal.objectIDs(of: keys, model)
        let places = try journal.zones(of: keys), unsent = try journal.outbox(for: keys)
        for (key, zone) in notes {
            let place = places[key] ?? 0
            switch moves.objects[ZonedKey(zone: place, key: key)]?.state {
            case .wanted, .marked, .leftBehind, .deletedBehind, .emptied, .homeless, .unexplained: continue
            case .astray, nil: break
            }
            // The object, or the zone, may be gone, and another device may have brought the object there.
            guard let id = ids[key], place != zone, try zone == 0 || journal.name(ofZone: zone) != nil else {
                try journal.removeNote(.onward, of: key)
                continue
            }
            guard isRead(place) else {
                needsReading = true
                continue
            }
            // The mark goes with the change.
            guard unsent[key]?.blockedReason == nil else { continue }
            try journal.removeNote(.onward, of: key)
            beginning[zone, default: []].append(id)
        }
    }
}

extension JournalReading {
    /// Whether objects are on their way from one zone to another.
    func mayMoveObjects() throws -> Bool { try !MoveNotes(self).isEmpty || !subjects(of: .onward).isEmpty }

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
