/// The changes in a context since it last told its observers. They contain objects of the context, for observers on its
/// thread or actor.
public struct ContextChanges {
    /// New objects. Complexity: O(new objects).
    public var inserted: Set<ManagedObject> { Set(newcomers.objects) }
    /// Objects with new property values, or with relationships changed from the other end.
    public internal(set) var updated: Set<ManagedObject> = []
    /// Objects to be deleted, or gone.
    public internal(set) var deleted: Set<ManagedObject> = []
    /// Objects that will read new values. The store was changed elsewhere, or the object was refreshed or rolled back.
    public internal(set) var refreshed: Set<ManagedObject> = []

    /// Identities of objects that were changed elsewhere and are not in memory in this context.
    public internal(set) var unregistered = StoreChanges()

    /// The objects of ``inserted`` as a list, because the set is rarely asked for.
    var newcomers: Newcomers
    /// The changes, property by property.
    var touched = TouchedProperties()

    /// Whether no change is noted at all.
    public var isEmpty: Bool {
        newcomers.count == 0 && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && unregistered.isEmpty
    }

    /// The same changes by identity, free to cross threads. Refreshed objects count as updated.
    public var identities: StoreChanges {
        var changes = StoreChanges(
            inserted: newcomers.objects.map(\.objectID).sorted(),
            updated: updated.union(refreshed).map(\.objectID).sorted(), deleted: deleted.map(\.objectID).sorted())
        guard !unregistered.isEmpty else { return changes }
        changes.merge(unregistered)
        // An object to be deleted is in memory, so its changes made elsewhere happened before it was read.
        let marked = deleted.filter { $0.state == .deleted }.map(\.objectID).sorted()
        if !marked.isEmpty { changes.merge(StoreChanges(deleted: marked)) }
        return changes
    }
}

extension ContextChanges {
    /// Notes that an object is deleted or vanishes. A new object is left out completely if observers were not told of
    /// it.
    mutating func noteDeletion(of object: ManagedObject) {
        updated.remove(object)
        refreshed.remove(object)
        guard !newcomers.remove(object) else { return }
        deleted.insert(object)
        touched.hidden.insert(object.entity.linkIndex)
    }

    /// Notes that the object will read new values. A new object has no earlier values to be compared with.
    mutating func noteRefresh(of object: ManagedObject) {
        if !newcomers.contains(object) { refreshed.insert(object) }
    }

    /// Notes that a deletion is taken back.
    mutating func noteReturn(of object: ManagedObject) {
        touched.hidden.insert(object.entity.linkIndex)
        guard deleted.remove(object) == nil else { return }
        updated.remove(object)
        refreshed.remove(object)
        newcomers.insert(object)
    }
}
