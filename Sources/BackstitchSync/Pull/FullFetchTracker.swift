import Backstitch
import BackstitchSupport
import CloudWire

/// Which records a full fetch has met so far. It is kept in memory only: after a restart in the middle the fetch begins
/// again.
package final class FullFetchTracker: Sendable {
    private struct State: Sendable {
        var keys: Set<ObjectKey> = []
        var known = 0
    }

    private let state = Locked<State?>(nil)

    /// A memory of no fetch.
    package init() {}

    /// Whether a full fetch is remembered from its beginning.
    var isActive: Bool { state.withLock { $0 != nil } }

    /// The records met so far.
    var seen: Set<ObjectKey> { state.withLock { $0?.keys ?? [] } }

    /// How many of them were known before.
    var known: Int { state.withLock { $0?.known ?? 0 } }

    func begin() { state.withLock { $0 = State() } }

    /// Adds a page's records, of which so many were known before.
    func add(_ more: [ObjectKey], known: Int) {
        state.withLock { state in
            state?.keys.formUnion(more)
            state?.known += known
        }
    }

    func end() { state.withLock { $0 = nil } }
}
