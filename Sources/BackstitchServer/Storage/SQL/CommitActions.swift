/// The consequences of a transaction: how many rows it has changed, and work to be done after its commit, on the
/// writer's thread. Belongs to one transaction.
final class CommitActions {
    private var actions: [@Sendable () -> Void] = []

    /// Rows that statements have changed, those of triggers aside.
    var changedRows = 0

    var count: Int { actions.count }

    func append(_ action: @escaping @Sendable () -> Void) { actions.append(action) }

    /// Forgets the actions of a write that was undone.
    func drop(after count: Int) { actions.removeSubrange(min(count, actions.count)...) }

    /// Forgets everything, since the transaction was undone.
    func reset() {
        actions = []
        changedRows = 0
    }

    /// Call once, after the commit.
    func run() {
        for action in actions { action() }
    }
}
