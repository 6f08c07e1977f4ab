/// The changes in a context since it last told its observers: objects of that context, for observers on its thread or
/// actor.
public struct ContextChanges {
    /// New objects. Complexity: O(new objects).
    public var inserted: Set<ManagedObject> { Set(newcomers.objects) }
    /// Objects whose properties were set, or whose relationships changed from the other end.
    public internal(set) var updated: Set<ManagedObject> = []
    /// Objects to be deleted, or gone.
    public internal(set) var deleted: Set<ManagedObject> = []
    /// Objects that will read other values because others, or a sync, changed the store.
    public internal(set) var refreshed: Set<ManagedObject> = []

    /// Identities of objects that others changed and that the context does not have in memory.
    public internal(set) var unregistered = StoreChanges()

    /// The objects of ``inserted``, without a set: mostly nobody asks for one.
    var newcomers: Newcomers
    /// The changes, property by property.
    var touched = TouchedProperties()

    /// Whether nothing changed.
    public var isEmpty: Bool {
        newcomers.count == 0 && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && unregistered.isEmpty
    }

    /// The same by identity, free to cross threads; refreshed objects count as updated.
    public var identities: StoreChanges {
        var changes = StoreChanges(
            inserted: newcomers.objects.map(\.objectID).sorted(),
            updated: updated.union(refreshed).map(\.objectID).sorted(), deleted: deleted.map(\.objectID).sorted())
        guard !unregistered.isEmpty else { return changes }
        changes.merge(unregistered)
        // One that is to be deleted is in memory: others did to it what they did before it was read.
        let marked = deleted.filter { $0.state == .deleted }.map(\.objectID).sorted()
        if !marked.isEmpty { changes.merge(StoreChanges(deleted: marked)) }
        return changes
    }
}

extension ContextChanges {
    /// An object goes; one that had come since the last telling is not told of at all.
    mutating func noteDeletion(of object: ManagedObject) {
        updated.remove(object)
        refreshed.remove(object)
        guard !newcomers.remove(object) else { return }
        deleted.insert(object)
        touched.hidden.insert(object.entity.linkIndex)
    }

    /// The object will read other values. One that is told of as new has nothing to be compared with.
    mutating func noteRefresh(of object: ManagedObject) {
        if !newcomers.contains(object) { refreshed.insert(object) }
    }

    /// A deletion is taken back.
    mutating func noteReturn(of object: ManagedObject) {
        touched.hidden.insert(object.entity.linkIndex)
        guard deleted.remove(object) == nil else { return }
        updated.remove(object)
        refreshed.remove(object)
        newcomers.insert(object)
    }
}
