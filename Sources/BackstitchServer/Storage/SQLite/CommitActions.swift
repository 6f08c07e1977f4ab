/// Work to be done after a commit, on the writer's thread. Belongs to one transaction.
final class CommitActions {
    private var actions: [@Sendable () -> Void] = []

    var count: Int { actions.count }

    func append(_ action: @escaping @Sendable () -> Void) { actions.append(action) }

    /// Forgets the actions of a write that was undone.
    func drop(after count: Int) { actions.removeSubrange(min(count, actions.count)...) }

    /// Call once, after the commit.
    func run() {
        for action in actions { action() }
    }
}
