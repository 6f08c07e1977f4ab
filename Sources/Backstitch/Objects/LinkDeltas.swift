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
    /// Ends where others may have made or removed the same links meanwhile.
    private var unsure: Set<LinkEnd> = []

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

    /// Forgets at which ends of a relationship an object came or went: the column of its row says where it is.
    ///
    /// - Parameters:
    ///   - key: The object that has the column.
    ///   - inverse: The relationship at the far ends.
    ///   - relationship: The object's own, which is the column.
    mutating func forget(_ key: ObjectKey, atEndsOf inverse: ResolvedProperty, _ relationship: ResolvedRelationship) {
        for (end, delta) in deltas
        where end.slot == inverse.slot && end.entityIndex == relationship.destinationRootIndex {
            guard delta.added.contains(key) || delta.removed.contains(key) else { continue }
            change(end) {
                $0.added.remove(key)
                $0.removed.remove(key)
            }
        }
    }

    mutating func removeAll() {
        deltas.removeAll()
        unsure = []
    }

    /// Notes that others have changed something: the store may have links by now that were added here, or lack some
    /// that were removed.
    mutating func doubt() {
        if !deltas.isEmpty { unsure = Set(deltas.keys) }
    }

    /// Whether the far end of a change that is now to be taken back may be in the store already, or no longer.
    func isUnsure(_ key: ObjectKey, at end: LinkEnd) -> Bool {
        guard unsure.contains(end), let delta = deltas[end] else { return false }
        return delta.added.contains(key) || delta.removed.contains(key)
    }

    /// Takes out of the differences what is in the store already, and what is no longer.
    mutating func settle(at end: LinkEnd, stored: Set<ObjectKey>) {
        unsure.remove(end)
        change(end) {
            $0.added.subtract(stored)
            $0.removed.formIntersection(stored)
        }
    }

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

    /// Whether links are added that are kept by themselves: a save finds out whether both their ends are stored.
    func addsOwnLinks(of object: ManagedObject) -> Bool {
        changedProperties(of: object).contains { property in
            let storage = property.relationship?.storage
            return (storage == .ownedLinks || storage == .inverseLinks)
                && deltas[LinkEnd(object, property)]?.added.isEmpty == false
        }
    }

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
