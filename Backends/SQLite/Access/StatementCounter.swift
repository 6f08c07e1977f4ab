import Synchronization

/// Counts the statements that a store begins, so that tests can tell how many a request takes.
final class StatementCounter: Sendable {
    private let begun = Atomic(0)

    /// How many were begun so far. One that runs for many sets of parameters counts once.
    var value: Int { begun.load(ordering: .relaxed) }

    func count() { begun.add(1, ordering: .relaxed) }
}

extension SQLiteStore {
    /// How many statements the store has begun; `BEGIN` and `COMMIT` do not count.
    package var statementCount: Int { database.counter.value }
}
