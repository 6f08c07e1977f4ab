/// An object that is told of a context's changes before the notification is posted.
protocol ContextObserver: AnyObject {
    func contextDidChange(_ changes: ContextChanges)
}
