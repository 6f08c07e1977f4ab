/// One end of a relationship: a relationship of one object.
struct LinkEnd: Hashable {
    let entityIndex: Int
    let slot: Int
    let key: ObjectKey

    init(_ object: ManagedObject, _ property: ResolvedProperty) {
        self.init(entityIndex: object.entity.linkIndex, slot: property.slot, key: object.key)
    }

    /// The far end of `relationship` at the object with `key`.
    init(_ key: ObjectKey, _ inverse: ResolvedProperty, _ relationship: ResolvedRelationship) {
        self.init(entityIndex: relationship.destinationRootIndex, slot: inverse.slot, key: key)
    }

    init(entityIndex: Int, slot: Int, key: ObjectKey) {
        self.entityIndex = entityIndex
        self.slot = slot
        self.key = key
    }
}

/// Unsaved differences of collections from what the store has, for objects in memory and for those that are not.
struct LinkDeltas {
    struct Delta {
        var added: Set<ObjectKey> = []
        var removed: Set<ObjectKey> = []
        var isEmpty: Bool { added.isEmpty && removed.isEmpty }
    }

    private(set) var deltas: [LinkEnd: Delta] = [:]

    var isEmpty: Bool { deltas.isEmpty }

    mutating func add(_ key: ObjectKey, at end: LinkEnd) {
        change(end) { if $0.removed.remove(key) == nil { $0.added.insert(key) } }
    }

    mutating func remove(_ key: ObjectKey, at end: LinkEnd) {
        change(end) { if $0.added.remove(key) == nil { $0.removed.insert(key) } }
    }

    /// Forgets all links of an object that is gone.
    mutating func forget(_ key: ObjectKey) {
        guard !deltas.isEmpty else { return }
        for (end, delta) in deltas {
            if end.key == key {
                deltas[end] = nil
            } else if delta.added.contains(key) || delta.removed.contains(key) {
                change(end) {
                    $0.added.remove(key)
                    $0.removed.remove(key)
                }
            }
        }
    }

    mutating func removeAll() { deltas.removeAll() }

    /// Forgets what has to do with these objects: it was saved.
    mutating func forget(_ saved: Set<ObjectKey>) {
        for end in Array(deltas.keys) {
            if saved.contains(end.key) {
                deltas[end] = nil
            } else {
                change(end) {
                    $0.added.subtract(saved)
                    $0.removed.subtract(saved)
                }
            }
        }
    }

    func apply(to members: inout Set<ObjectKey>, at end: LinkEnd) {
        guard let delta = deltas[end] else { return }
        members.subtract(delta.removed)
        members.formUnion(delta.added)
    }

    /// Whether relationships of the object have changed that are no column of its row.
    func hasChanges(of object: ManagedObject) -> Bool { !deltas.isEmpty && !changedProperties(of: object).isEmpty }

    /// The relationships of the object that have changed and are no column of its row.
    func changedProperties(of object: ManagedObject) -> [ResolvedProperty] {
        if deltas.isEmpty { return [] }
        return object.entity.properties[object.entity.columnCount...].filter {
            $0.relationship != nil && deltas[LinkEnd(object, $0)] != nil
        }
    }

    private mutating func change(_ end: LinkEnd, _ body: (inout Delta) -> Void) {
        body(&deltas[end, default: Delta()])
        if deltas[end]?.isEmpty ?? false { deltas[end] = nil }
    }
}
