import Backstitch

/// Unsent changes that are held back, because it is not known yet where their objects are.
struct HeldByMoves {
    /// Objects whose records are gone from the zone. If the server refuses records without their parents, also those
    /// below them.
    private(set) var objects: Set<ObjectKey> = []
    /// New and deleted objects with a parked record in another zone.
    private(set) var undecided: Set<ObjectKey> = []

    /// Looks up what is known of the objects of some changes. It costs one read if no object moves.
    init(among entries: [OutboxEntry], of builder: BatchBuilder, in journal: any JournalReading) throws {
        guard builder.followsMoves, !entries.isEmpty, try journal.hasNotes(of: .moves) else { return }
        let notes = try MoveNotes(journal, of: entries.map(\.objectID.key))
        objects = notes.gone(fromZone: builder.zoneNumber)
        undecided = notes.undecided.intersection(entries.filter { $0.kind != .update }.map(\.objectID.key))
        if builder.validatesParents { try addObjects(among: entries, below: builder, in: journal) }
    }

    func contains(_ key: ObjectKey) -> Bool { objects.contains(key) || undecided.contains(key) }

    private mutating func addObjects(
        among entries: [OutboxEntry], below builder: BatchBuilder, in journal: any JournalReading
    ) throws {
        var parents: [ObjectKey: ObjectKey] = [:], gone = objects
        var level = entries.filter { $0.kind != .delete }.map(\.objectID)
        var seen = Set(level.map(\.key))
        while !level.isEmpty {
            let found = try journal.parents(of: level, builder.model)
            parents.merge(found) { $1 }
            let next = Set(found.values).subtracting(seen).sorted()
            seen.formUnion(next)
            gone.formUnion(try MoveNotes(journal, of: next).gone(fromZone: builder.zoneNumber))
            let states = try journal.recordStates(for: next), unsent = try journal.outbox(for: next)
            level = next.compactMap { states[$0]?.objectID ?? unsent[$0]?.objectID }
        }
        for entry in entries {
            var next = parents[entry.objectID.key], passed: Set<ObjectKey> = []
            while let key = next, passed.insert(key).inserted {
                if gone.contains(key) { objects.insert(entry.objectID.key) }
                next = parents[key]
            }
        }
    }
}
