import Backstitch

/// Objects of an entity with the same kind of change.
struct HistorySegment {
    let entity: ResolvedEntity
    let kind: HistoryKind
    var keys: [ObjectKey]
    /// The changed properties of each object; empty unless ``kind`` is an update.
    var properties: [PropertySet] = []
    /// The tombstone of each object; empty unless ``kind`` is a deletion and the entity keeps tombstones.
    var tombstones: [[UInt8]?] = []
}
