public import Foundation

extension ManagedObjectContext {
    /// Posted by a context, on its thread, after its objects changed: at the end of the main actor's turn for the view
    /// context, and in any context by ``processPendingChanges()``, before a save and after a merge. `userInfo` has
    /// ``changesKey``.
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

    /// Tells observers what changed since it last did, and ends a step of the ``undoManager``, in which deletions come
    /// with what their rules change. Complexity: O(changes); of deletions also O(objects that their rules reach), which
    /// may be read from the store.
    public func processPendingChanges() {
        settleDeletions()
        hideDeletions()
        defer { undoManager?.closeStep() }
        notifier.tellObservers(in: self)
        arrivals = []
    }

    /// The changes of the context from now on, by identity: one element for each ``didChangeObjects``.
    public var objectChanges: AsyncStream<StoreChanges> { notifier.changes }

    /// The saves of the context from now on, by identity: one element for each ``didSaveObjects``.
    public var saves: AsyncStream<StoreChanges> { notifier.saves }

    /// Has changes noted property by property from now on, here and in the contexts above.
    func trackProperties() {
        var context: ManagedObjectContext? = self
        while let present = context {
            present.notifier.trackProperties()
            context = present.parent
        }
    }
}
