/// Unsaved differences between collections and the store, for objects in memory and for other objects.
struct LinkDeltas {
    struct Delta {
        var added: Set<ObjectKey> = []
        var removed: Set<ObjectKey> = []
        var isEmpty: Bool { added.isEmpty && removed.isEmpty }
    }

    private(set) var deltas: [LinkEnd: Delta] = [:]
    /// Ends at which the same links may have been made or removed elsewhere meanwhile.
    private var unsure: Set<LinkEnd> = []
    /// By object: the changed ends that belong to it or lead to it. Nil until objects are forgotten.
    private var endsByKey: [ObjectKey: Set<LinkEnd>]?

    var isEmpty: Bool { deltas.isEmpty }

    mutating func add(_ key: ObjectKey, at end: LinkEnd) {
        change(key, at: end) { if $0.removed.remove(key) == nil { $0.added.insert(key) } }
    }

    mutating func remove(_ key: ObjectKey, at end: LinkEnd) {
        change(key, at: end) { if $0.added.remove(key) == nil { $0.removed.insert(key) } }
    }

    /// Forgets all links of an object that is gone.
    ///
    /// - Complexity: O(links of the object), and once O(changed links).
    mutating func forget(_ key: ObjectKey) {
        guard !deltas.isEmpty else { return }
        for end in ends(of: key) {
            if end.key == key { drop(end) } else { forget(key, at: end) }
        }
    }

    /// Forgets the changes of an object's links at the ends of a relationship. The column of its row holds the link.
    ///
    /// - Parameter key: The object with the column.
    /// - Parameter inverse: The relationship at the far ends.
    /// - Parameter relationship: The object's own relationship: the column.
    mutating func forget(_ key: ObjectKey, atEndsOf inverse: ResolvedProperty, _ relationship: ResolvedRelationship) {
        guard !deltas.isEmpty else { return }
        for end in ends(of: key)
        where end.slot == inverse.slot && end.entityIndex == relationship.destinationRootIndex {
            forget(key, at: end)
        }
    }

    mutating func removeAll() {
        deltas.removeAll()
        unsure = []
        endsByKey = nil
    }

    /// Notes that objects were changed elsewhere. The store may now have links that were added here, or lack links that
    /// were removed here.
    mutating func doubt() {
        if !deltas.isEmpty { unsure = Set(deltas.keys) }
    }

    /// Whether the store may have made the same change of a link. It is asked before the change is taken back.
    func isUnsure(_ key: ObjectKey, at end: LinkEnd) -> Bool {
        guard unsure.contains(end), let delta = deltas[end] else { return false }
        return delta.added.contains(key) || delta.removed.contains(key)
    }

    /// Drops added links that the store has already, and removed links that it no longer has.
    mutating func settle(at end: LinkEnd, stored: Set<ObjectKey>) {
        unsure.remove(end)
        guard let delta = deltas[end] else { return }
        let settled = delta.added.intersection(stored).union(delta.removed.subtracting(stored))
        for key in settled { forget(key, at: end) }
    }

    /// Forgets the changes of these objects, because they were saved.
    mutating func forget(_ saved: Set<ObjectKey>) {
        endsByKey = nil
        for (end, delta) in deltas {
            if saved.contains(end.key) {
                deltas[end] = nil
            } else {
                let rest = Delta(added: delta.added.subtracting(saved), removed: delta.removed.subtracting(saved))
                deltas[end] = rest.isEmpty ? nil : rest
            }
        }
    }

    func apply(to members: inout Set<ObjectKey>, at end: LinkEnd) {
        guard let delta = deltas[end] else { return }
        members.subtract(delta.removed)
        members.formUnion(delta.added)
    }

    /// Whether relationships of the object have changed that are no columns of its row.
    func hasChanges(of object: ManagedObject) -> Bool { !deltas.isEmpty && !changedProperties(of: object).isEmpty }

    /// Whether links are added that are stored apart from rows. A save finds out whether both their ends are stored.
    func addsOwnLinks(of object: ManagedObject) -> Bool {
        changedProperties(of: object).contains { property in
            let storage = property.relationship?.storage
            return (storage == .ownedLinks || storage == .inverseLinks)
                && deltas[LinkEnd(object, property)]?.added.isEmpty == false
        }
    }

    /// The changed relationships of the object that are no columns of its row.
    func changedProperties(of object: ManagedObject) -> [ResolvedProperty] {
        if deltas.isEmpty { return [] }
        return object.entity.properties[object.entity.columnCount...].filter {
            $0.relationship != nil && deltas[LinkEnd(object, $0)] != nil
        }
    }

}

// The ends of an object's links.
extension LinkDeltas {
    private mutating func ends(of key: ObjectKey) -> Set<LinkEnd> {
        if let endsByKey { return endsByKey[key] ?? [] }
        var all: [ObjectKey: Set<LinkEnd>] = [:]
        for (end, delta) in deltas {
            all[end.key, default: []].insert(end)
            for key in delta.added { all[key, default: []].insert(end) }
            for key in delta.removed { all[key, default: []].insert(end) }
        }
        endsByKey = all
        return all[key] ?? []
    }

    private mutating func forget(_ key: ObjectKey, at end: LinkEnd) {
        guard deltas[end] != nil else { return }
        change(key, at: end) {
            $0.added.remove(key)
            $0.removed.remove(key)
        }
    }

    /// Changes the entry of one object in a delta.
    private mutating func change(_ key: ObjectKey, at end: LinkEnd, _ body: (inout Delta) -> Void) {
        body(&deltas[end, default: Delta()])
        let isEmpty = deltas[end]?.isEmpty ?? true
        if isEmpty { deltas[end] = nil }
        guard endsByKey != nil else { return }
        note(key, end, isThere: deltas[end].map { $0.added.contains(key) || $0.removed.contains(key) } ?? false)
        note(end.key, end, isThere: !isEmpty)
    }

    /// Forgets the changes at an end.
    private mutating func drop(_ end: LinkEnd) {
        guard let delta = deltas.removeValue(forKey: end) else { return }
        for key in delta.added { note(key, end, isThere: false) }
        for key in delta.removed { note(key, end, isThere: false) }
        note(end.key, end, isThere: false)
    }

    private mutating func note(_ key: ObjectKey, _ end: LinkEnd, isThere: Bool) {
        if isThere {
            endsByKey?[key, default: []].insert(end)
        } else {
            endsByKey?[key]?.remove(end)
            if endsByKey?[key]?.isEmpty == true { endsByKey?[key] = nil }
        }
    }

    /// Whether the ends that are noted by object agree with the deltas.
    var isConsistent: Bool {
        guard let endsByKey else { return true }
        var copy = self
        copy.endsByKey = nil
        _ = copy.ends(of: ObjectKey(high: 0, low: 0))
        return copy.endsByKey == endsByKey
    }
}
