import Backstitch
import BackstitchSupport

/// Decides which statements of users' fetches stay prepared. A connection keeps what it has prepared for ever, so texts
/// are let in when they are seen again, and only so many: programs that make up a new predicate each time fill no
/// memory.
package struct StatementCachePolicy: Sendable {
    private struct State {
        var seenOnce: Set<String> = []
        var admitted: Set<String> = []
    }

    private static let maximumSeen = 256
    private static let maximumAdmitted = 512
    private let state = Locked(State())

    /// Nothing was seen yet.
    package init() {}

    /// Whether a statement of that text shall stay prepared.
    package func admits(_ text: String) -> Bool {
        state.withLock { state in
            if state.admitted.contains(text) { return true }
            guard state.admitted.count < Self.maximumAdmitted else { return false }
            if state.seenOnce.remove(text) != nil {
                state.admitted.insert(text)
                return true
            }
            if state.seenOnce.count == Self.maximumSeen { state.seenOnce.removeAll() }
            state.seenOnce.insert(text)
            return false
        }
    }
}
