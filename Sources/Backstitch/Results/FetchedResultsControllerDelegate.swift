/// Is told of the changes of a ``FetchedResultsController``, in this order: will change, sections, objects, did change.
public protocol FetchedResultsControllerDelegate: AnyObject {
    /// The results are about to change.
    func controllerWillChangeContent()
    /// A section came or went.
    func controllerDidChange(section: ResultDifference.SectionChange)
    /// An object came, went, moved or changed.
    func controllerDidChange(object: ResultDifference.ObjectChange)
    /// The results have changed, to these.
    func controllerDidChangeContent(_ snapshot: ResultSnapshot)
}

extension FetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent() {}
    /// Does nothing.
    public func controllerDidChange(section: ResultDifference.SectionChange) {}
    /// Does nothing.
    public func controllerDidChange(object: ResultDifference.ObjectChange) {}
    /// Does nothing.
    public func controllerDidChangeContent(_ snapshot: ResultSnapshot) {}
}
