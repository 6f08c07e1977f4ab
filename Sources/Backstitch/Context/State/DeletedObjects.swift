/// The objects that the next save deletes, and those of them that relationships no longer show.
struct DeletedObjects {
    private(set) var byKey: [ObjectKey: ManagedObject] = [:]
    /// Those that were never saved.
    private(set) var newcomers: [ObjectKey: ManagedObject] = [:]
    /// Those that are hidden.
    private var hidden: Set<ObjectKey> = []
    /// Those that were marked since ``hide()``.
    private var shown: [ObjectKey] = []
    /// Whether some were marked since ``visit()``.
    private var hasUnvisited = false
    /// Whether some were marked since ``takeUnsettled()``.
    private var hasUnsettled = false

    var isEmpty: Bool { byKey.isEmpty }
    var objects: some Collection<ManagedObject> { byKey.values }

    subscript(key: ObjectKey) -> ManagedObject? { byKey[key] }

    mutating func insert(_ object: ManagedObject) {
        byKey[object.key] = object
        if object.isNew { newcomers[object.key] = object }
        shown.append(object.key)
        hasUnvisited = true
        hasUnsettled = true
    }

    mutating func remove(_ key: ObjectKey) {
        guard byKey.removeValue(forKey: key) != nil else { return }
        newcomers[key] = nil
        hidden.remove(key)
    }

    mutating func removeAll() { self = DeletedObjects() }

    /// Whether objects that were never saved are here, and some were marked since the last call.
    mutating func visit() -> Bool {
        defer { hasUnvisited = false }
        return hasUnvisited && !newcomers.isEmpty
    }

    /// Whether some were marked since the last call.
    mutating func takeUnsettled() -> Bool {
        defer { hasUnsettled = false }
        return hasUnsettled
    }

    /// Whether relationships no longer show some of them.
    var hidesSome: Bool { !hidden.isEmpty }

    /// Whether relationships no longer show the object.
    func hides(_ key: ObjectKey) -> Bool { hidesSome && hidden.contains(key) }

    /// Has relationships no longer show any of them.
    ///
    /// - Returns: Whether that is so of some as from now.
    /// - Complexity: O(objects that were marked since the last call).
    mutating func hide() -> Bool {
        let before = hidden.count
        for key in shown where byKey[key] != nil { hidden.insert(key) }
        shown = []
        return hidden.count > before
    }

    /// Whether those that were never saved, and those that are hidden, are among the rest.
    var isConsistent: Bool {
        newcomers.allSatisfy { byKey[$0.key] === $0.value } && hidden.allSatisfy { byKey[$0] != nil }
    }
}
