import Backstitch

/// Knows of each insert whether the server may have it already, because an answer was lost.
package final class SentInserts: Sendable {
    private let attemptedBefore: Locked<Int64>
    private let unanswered = Locked<Set<ObjectKey>>([])

    /// Knowledge of a store that has just been opened.
    ///
    /// - Parameter attempted: The highest sequence of which an insert may have been sent by an earlier process.
    package init(attempted: Int64) { attemptedBefore = Locked(attempted) }

    /// Takes over from a process that has synced the store until now.
    func takeOver(attempted: Int64) { attemptedBefore.withLock { $0 = max($0, attempted) } }

    /// Whether the server may have the insert.
    func mayHaveArrived(_ entry: OutboxEntry) -> Bool {
        entry.firstSequence <= attemptedBefore.withLock { $0 }
            || unanswered.withLock { $0.contains(entry.objectID.key) }
    }

    func add(_ keys: [ObjectKey]) { unanswered.withLock { $0.formUnion(keys) } }

    func remove(_ keys: [ObjectKey]) { unanswered.withLock { $0.subtract(keys) } }
}
