import Backstitch
import BackstitchSupport
import CloudWire

/// The records that a full fetch has met so far. They are kept in memory only: after a restart in between, the fetch
/// begins again.
package final class FullFetchTracker: Sendable {
    private struct State: Sendable {
        var keys: Set<ObjectKey> = []
        var known = 0
    }

    private let state = Locked<State?>(nil)

    /// Creates a tracker without a running fetch.
    package init() {}

    /// Whether a full fetch is tracked from its beginning.
    var isActive: Bool { state.withLock { $0 != nil } }

    /// The keys of the records met so far.
    var seen: Set<ObjectKey> { state.withLock { $0?.keys ?? [] } }

    /// The number of met records that were known before.
    var known: Int { state.withLock { $0?.known ?? 0 } }

    func begin() { state.withLock { $0 = State() } }

    /// Adds a page's records. `known` is the number of those that were known before.
    func add(_ more: [ObjectKey], known: Int) {
        state.withLock { state in
            state?.keys.formUnion(more)
            state?.known += known
        }
    }

    func end() { state.withLock { $0 = nil } }
}
