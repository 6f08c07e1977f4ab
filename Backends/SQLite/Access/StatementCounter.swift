import Backstitch

/// Counts the statements that a store begins, so that tests can tell how many a request takes.
final class StatementCounter: Sendable {
    private let begun = Locked(0)

    /// How many were begun so far. One that runs for many sets of parameters counts once.
    var value: Int { begun.withLock { $0 } }

    func count() { begun.withLock { $0 += 1 } }
}

extension SQLiteStore {
    /// How many statements the store has begun; `BEGIN` and `COMMIT` do not count.
    package var statementCount: Int { database.counter.value }
}
