public import Foundation

/// What changed in a context since it last told: objects of that context, for those who share its thread or actor.
public struct ContextChanges {
    /// New objects.
    public internal(set) var inserted: Set<ManagedObject> = []
    /// Objects whose properties were set, or whose relationships changed from the other end.
    public internal(set) var updated: Set<ManagedObject> = []
    /// Objects to be deleted, or gone.
    public internal(set) var deleted: Set<ManagedObject> = []
    /// Objects that will read other values because others, or a sync, changed the store.
    public internal(set) var refreshed: Set<ManagedObject> = []

    /// Identities of objects that others changed and that the context does not have in memory.
    public internal(set) var unregistered = StoreChanges()

    /// Whether nothing changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && unregistered.isEmpty
    }

    /// The same by identity, free to cross threads; refreshed objects count as updated.
    public var identities: StoreChanges {
        var changes = StoreChanges(
            inserted: inserted.map(\.objectID).sorted(), updated: updated.union(refreshed).map(\.objectID).sorted(),
            deleted: deleted.map(\.objectID).sorted())
        changes.merge(unregistered)
        return changes
    }
}

extension ContextChanges {
    /// An object goes; one that had come since the last telling is not told of at all.
    mutating func noteDeletion(of object: ManagedObject) {
        updated.remove(object)
        refreshed.remove(object)
        if inserted.remove(object) == nil { deleted.insert(object) }
    }

    /// A deletion is taken back.
    mutating func noteReturn(of object: ManagedObject) {
        if deleted.remove(object) == nil { inserted.insert(object) }
    }
}

extension ManagedObjectContext {
    /// Posted by a context, on its thread, after its objects changed: at the end of the main actor's turn for the view context, and
    /// in any context by ``processPendingChanges()``, before a save and after a merge. `userInfo` has ``changesKey``.
    public static let didChangeObjects = Notification.Name("BackstitchContextDidChangeObjects")
    /// Posted by a context, on its thread, before a save writes.
    public static let willSaveObjects = Notification.Name("BackstitchContextWillSaveObjects")
    /// Posted by a context, on its thread, after a save. `userInfo` has ``changesKey``.
    public static let didSaveObjects = Notification.Name("BackstitchContextDidSaveObjects")
    /// Posted along with ``didSaveObjects``; `userInfo` has ``identitiesKey``.
    public static let didSaveObjectIDs = Notification.Name("BackstitchContextDidSaveObjectIDs")
    /// The key of a ``ContextChanges`` in the `userInfo` of a notification.
    public static let changesKey = "changes"
    /// The key of a ``StoreChanges`` in the `userInfo` of a notification.
    public static let identitiesKey = "identities"

    /// Tells observers what changed since it last did, and ends a step of the ``undoManager``. Complexity: O(changes).
    public func processPendingChanges() {
        defer { undoManager?.closeStep() }
        guard !untold.isEmpty else { return }
        let changes = untold
        untold = ContextChanges()
        turn &+= 1
        for observer in observers.values { observer.value?.contextDidChange(changes) }
        post(Self.didChangeObjects, [Self.changesKey: changes])
        changeBroadcast.yield(changes.identities)
    }

    /// The changes of the context from now on, by identity: one element for each ``didChangeObjects``.
    public var objectChanges: AsyncStream<StoreChanges> { changeBroadcast.stream() }

    /// The saves of the context from now on, by identity: one element for each ``didSaveObjects``.
    public var saves: AsyncStream<StoreChanges> { saveBroadcast.stream() }

    func post(_ name: Notification.Name, _ userInfo: [String: Any] = [:]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}

/// An observer that is not kept alive by the context.
struct WeakObserver {
    weak var value: (any ContextObserver)?
}

/// Somebody who is told of a context's changes before the notification is posted.
protocol ContextObserver: AnyObject {
    func contextDidChange(_ changes: ContextChanges)
}
