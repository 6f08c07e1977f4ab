import Backstitch

/// Which records a full fetch has met so far. It is kept in memory only: after a restart in the middle the fetch begins
/// again.
package final class SweepMemory: Sendable {
    private let keys = Locked<Set<ObjectKey>?>(nil)

    /// A memory of no fetch.
    package init() {}

    /// Whether a full fetch is remembered from its beginning.
    var isActive: Bool { keys.withLock { $0 != nil } }

    /// The records met so far.
    var seen: Set<ObjectKey> { keys.withLock { $0 ?? [] } }

    func begin() { keys.withLock { $0 = [] } }

    func add(_ more: [ObjectKey]) { keys.withLock { $0?.formUnion(more) } }

    func end() { keys.withLock { $0 = nil } }
}

/// Why everything is fetched again.
enum SweepMode: String {
    /// The token was refused: deletions may have been missed.
    case missed
    /// The model or this version changed: what is known may be read differently.
    case reapply
}
