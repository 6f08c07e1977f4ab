import Backstitch

/// Objects of an entity to which the same happened.
struct HistorySegment {
    let entity: ResolvedEntity
    let kind: HistoryKind
    var keys: [ObjectKey]
    /// The changed properties of each; empty unless ``kind`` is an update.
    var properties: [PropertySet] = []
    /// The tombstone of each; empty unless ``kind`` is a deletion of an entity that keeps something.
    var tombstones: [[UInt8]?] = []
}
