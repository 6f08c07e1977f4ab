import Backstitch

/// The objects that a save inserts and deletes, and the history of the save.
struct SaveChanges {
    /// Keys of new objects; empty if they are not needed, because a save may insert many.
    let inserted: Set<ObjectKey>
    /// Keys of objects that no longer exist after the save.
    let deleted: Set<ObjectKey>
    private let request: SaveChangesRequest

    init(_ request: SaveChangesRequest) {
        self.request = request
        let isAsked = !request.links.isEmpty || !request.deletes.isEmpty
        let inserted = isAsked ? Set(request.inserts.flatMap(\.keys)) : []
        self.inserted = inserted
        deleted = Set(request.deletes.flatMap(\.keys)).subtracting(inserted)
    }

    /// The effect on objects that still exist.
    func withoutDeleted(_ effect: LinkEffect) -> LinkEffect {
        var effect = effect
        effect.owners.subtract(deleted)
        return effect
    }

    /// The history of the save: each object once, unless it is deleted and inserted again.
    func history(with effects: [LinkEffect]) -> [HistorySegment] {
        var links: [ResolvedEntity: [ObjectKey: PropertySet]] = [:]
        for effect in effects {
            for owner in effect.owners where !inserted.contains(owner) {
                links[effect.entity, default: [:]][owner, default: PropertySet()].insert(effect.property.slot)
            }
        }
        var segments = request.deletes.map(Self.deletion)
        segments += request.inserts.map { HistorySegment(entity: $0.entity, kind: .insert, keys: Array($0.keys)) }
        for update in request.updates {
            segments.append(Self.segment(update, links: &links[update.rows.entity, default: [:]]))
        }
        for (entity, owners) in links.sorted(by: { $0.key.index < $1.key.index }) where !owners.isEmpty {
            let keys = owners.keys.sorted()
            segments.append(
                HistorySegment(entity: entity, kind: .update, keys: keys, properties: keys.compactMap { owners[$0] }))
        }
        return segments
    }

    private static func deletion(_ rows: RowBatch) -> HistorySegment {
        var segment = HistorySegment(entity: rows.entity, kind: .delete, keys: Array(rows.keys))
        guard rows.entity.keepsTombstones else { return segment }
        let tombstones = Tombstones(rows)
        segment.tombstones = rows.keys.map { tombstones[$0] }
        return segment
    }

    private static func segment(_ update: RowUpdate, links: inout [ObjectKey: PropertySet]) -> HistorySegment {
        var properties = update.changed
        if !links.isEmpty {
            for (row, key) in update.rows.keys.enumerated() {
                if let slots = links.removeValue(forKey: key) { properties[row].formUnion(slots) }
            }
        }
        return HistorySegment(
            entity: update.rows.entity, kind: .update, keys: Array(update.rows.keys), properties: properties)
    }
}
