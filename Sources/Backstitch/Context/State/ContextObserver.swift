/// Somebody who is told of a context's changes before the notification is posted.
protocol ContextObserver: AnyObject {
    func contextDidChange(_ changes: ContextChanges)
}

/// An observer that is not kept alive by the context.
struct WeakObserver {
    weak var value: (any ContextObserver)?
}

/// A child context that is not kept alive by its parent.
struct WeakContext {
    weak var value: ManagedObjectContext?
}
