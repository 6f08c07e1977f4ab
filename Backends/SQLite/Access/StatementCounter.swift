import Synchronization

/// Counts the statements of a store, so that tests can check the number for a request.
final class StatementCounter: Sendable {
    private let begun = Atomic(0)

    /// The number of statements so far. A statement for many sets of parameters counts once.
    var value: Int { begun.load(ordering: .relaxed) }

    func count() { begun.add(1, ordering: .relaxed) }
}

extension SQLiteStore {
    /// The number of statements that the store has begun; `BEGIN` and `COMMIT` do not count.
    package var statementCount: Int { database.counter.value }
}
