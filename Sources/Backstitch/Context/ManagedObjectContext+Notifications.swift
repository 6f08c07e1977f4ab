public import Foundation

extension ManagedObjectContext {
    /// Posted by a context, on its thread, after its objects changed. The view context posts it at the end of the main
    /// actor's turn. Any context posts it in ``processPendingChanges()``, before a save and after a merge. `userInfo`
    /// has ``changesKey``.
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

    /// Tells observers of the changes since the last call, and ends a step of the ``undoManager``. A step holds
    /// deletions together with the effects of their delete rules.
    ///
    /// - Complexity: O(changes). Deletions add O(objects reached by their rules), and these may be read from the store.
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

    /// Starts noting changes property by property, here and in the parent contexts.
    func trackProperties() {
        var context: ManagedObjectContext? = self
        while let present = context {
            present.notifier.trackProperties()
            context = present.parent
        }
    }
}
