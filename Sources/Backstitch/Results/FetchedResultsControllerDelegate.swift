/// Receives the changes of a ``FetchedResultsController``, in this order: will change, sections, objects, did change.
public protocol FetchedResultsControllerDelegate: AnyObject {
    /// The results are about to change.
    func controllerWillChangeContent()
    /// A section was added or removed.
    func controllerDidChange(section: ResultDifference.SectionChange)
    /// An object was added, removed, moved or changed.
    func controllerDidChange(object: ResultDifference.ObjectChange)
    /// The results have changed to this snapshot.
    func controllerDidChangeContent(_ snapshot: ResultSnapshot)
}

extension FetchedResultsControllerDelegate {
    /// Does nothing by default: a delegate may leave it out.
    public func controllerWillChangeContent() {}
    /// Does nothing by default: a delegate may leave it out.
    public func controllerDidChange(section: ResultDifference.SectionChange) {}
    /// Does nothing by default: a delegate may leave it out.
    public func controllerDidChange(object: ResultDifference.ObjectChange) {}
    /// Does nothing by default: a delegate may leave it out.
    public func controllerDidChangeContent(_ snapshot: ResultSnapshot) {}
}
