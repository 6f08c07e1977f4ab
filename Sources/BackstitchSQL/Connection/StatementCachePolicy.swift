import Backstitch
import BackstitchSupport

/// Decides which statements of users' fetches stay prepared. A connection keeps a prepared statement for ever. So a
/// text is admitted when it is seen the second time, up to a limit of 512. A program with a new predicate for each
/// fetch cannot fill the memory.
package struct StatementCachePolicy: Sendable {
    private struct State {
        var seenOnce: Set<String> = []
        var admitted: Set<String> = []
    }

    private static let maximumSeen = 256
    private static let maximumAdmitted = 512
    private let state = Locked(State())

    /// Creates a policy that has seen no statement.
    package init() {}

    /// Whether a statement with this text should stay prepared.
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
