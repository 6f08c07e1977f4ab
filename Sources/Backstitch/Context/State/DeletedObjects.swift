/// The objects that the next save deletes. Relationships hide some of them already.
struct DeletedObjects {
    private(set) var byKey: [ObjectKey: ManagedObject] = [:]
    /// The objects that were never saved.
    private(set) var newcomers: [ObjectKey: ManagedObject] = [:]
    /// The objects that relationships hide.
    private var hidden: Set<ObjectKey> = []
    /// The objects that were marked since ``hide()``.
    private var shown: [ObjectKey] = []
    /// Whether objects were marked since ``visit()``.
    private var hasUnvisited = false
    /// Whether objects were marked since ``takeUnsettled()``.
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

    /// Whether there are never-saved objects, and an object was marked since the last call.
    mutating func visit() -> Bool {
        defer { hasUnvisited = false }
        return hasUnvisited && !newcomers.isEmpty
    }

    /// Whether an object was marked since the last call.
    mutating func takeUnsettled() -> Bool {
        defer { hasUnsettled = false }
        return hasUnsettled
    }

    /// Whether relationships hide any of the objects.
    var hidesSome: Bool { !hidden.isEmpty }

    /// Whether relationships hide the object.
    func hides(_ key: ObjectKey) -> Bool { hidesSome && hidden.contains(key) }

    /// Hides all of the objects from relationships.
    ///
    /// - Returns: Whether further objects are hidden now.
    /// - Complexity: O(objects that were marked since the last call).
    mutating func hide() -> Bool {
        let before = hidden.count
        for key in shown where byKey[key] != nil { hidden.insert(key) }
        shown = []
        return hidden.count > before
    }

    /// Whether the never-saved and the hidden objects are all among the objects to be deleted.
    var isConsistent: Bool {
        newcomers.allSatisfy { byKey[$0.key] === $0.value } && hidden.allSatisfy { byKey[$0] != nil }
    }
}
