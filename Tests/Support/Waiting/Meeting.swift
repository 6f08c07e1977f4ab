import Foundation

/// A place where threads wait until `count` of them are there.
package final class Meeting: Sendable {
    private let count: Int
    private let condition = NSCondition()
    // Used while `condition` is locked only.
    nonisolated(unsafe) private var state = (inside: 0, most: 0, isOver: false)

    package init(_ count: Int) { self.count = count }

    /// The most threads that were there at the same time.
    package var most: Int { condition.withLock { state.most } }
    /// Whether `count` threads were there at the same time.
    package var isComplete: Bool { most >= count }

    /// Waits until the meeting is complete, for long. Then waits a little for one more thread, which must not come.
    package func attend() {
        condition.lock()
        defer { condition.unlock() }
        state.inside += 1
        state.most = max(state.most, state.inside)
        condition.broadcast()
        while state.most <= count, !state.isOver {
            let patience = state.most < count ? 20 : 0.3
            if !condition.wait(until: Date(timeIntervalSinceNow: patience)) { state.isOver = true }
        }
        condition.broadcast()
        state.inside -= 1
    }
}
