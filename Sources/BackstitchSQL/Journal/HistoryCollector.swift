import Backstitch

/// Collects the changes of a transaction, piece by piece, into one entry for each object.
struct HistoryCollector {
    private struct Entry {
        let entity: ResolvedEntity
        var kind: HistoryKind?
        var properties = PropertySet()
        var tombstone: [UInt8]?
    }

    private var order: [ObjectKey] = []
    private var entries: [ObjectKey: Entry] = [:]

    mutating func inserted(_ entity: ResolvedEntity, _ key: ObjectKey) {
        // Deleted and inserted again: another object replaced it.
        change(entity, key) { $0.kind = $0.kind == .delete ? .update : .insert }
    }

    mutating func updated(_ entity: ResolvedEntity, _ key: ObjectKey, _ properties: PropertySet) {
        change(entity, key) { entry in
            if entry.kind == .insert { return }
            entry.kind = .update
            entry.properties.formUnion(properties)
        }
    }

    mutating func deleted(_ entity: ResolvedEntity, _ key: ObjectKey, _ tombstone: [UInt8]? = nil) {
        change(entity, key) {
            // Inserted and deleted again: it was never visible to others.
            $0.kind = $0.kind == .insert ? nil : .delete
            $0.tombstone = tombstone
        }
    }

    /// Notes all changes of a segment.
    mutating func add(_ segment: HistorySegment) {
        for (index, key) in segment.keys.enumerated() {
            switch segment.kind {
            case .insert: inserted(segment.entity, key)
            case .update: updated(segment.entity, key, segment.properties[index])
            case .delete: deleted(segment.entity, key, segment.tombstones.isEmpty ? nil : segment.tombstones[index])
            }
        }
    }

    /// The segments so far, by entity and kind, in the order of the changes.
    func segments() -> [HistorySegment] {
        var segments: [HistorySegment] = []
        var index: [ResolvedEntity: [HistoryKind: Int]] = [:]
        for key in order {
            guard let entry = entries[key], let kind = entry.kind else { continue }
            let position = index[entry.entity]?[kind] ?? segments.count
            if position == segments.count {
                index[entry.entity, default: [:]][kind] = position
                segments.append(HistorySegment(entity: entry.entity, kind: kind, keys: []))
            }
            segments[position].keys.append(key)
            if kind == .update { segments[position].properties.append(entry.properties) }
            if kind == .delete, entry.entity.keepsTombstones { segments[position].tombstones.append(entry.tombstone) }
        }
        return segments
    }

    private mutating func change(_ entity: ResolvedEntity, _ key: ObjectKey, _ body: (inout Entry) -> Void) {
        if entries[key] == nil { order.append(key) }
        body(&entries[key, default: Entry(entity: entity)])
    }
}
