import Backstitch
import Foundation
import Synchronization

/// Lets requests in until it is closed; closing waits for those inside to leave.
///
/// Each request passes it, so entering and leaving an open gate take one atomic step each, and no lock.
final class AccessGate: Sendable {
    /// How many are inside, and ``closed`` added once it is.
    private let state = Atomic(0)
    /// For whoever closes, to wait until all have left.
    private let condition = NSCondition()

    private static let closed = 1 << 62

    /// Runs `body` as a request.
    ///
    /// - Throws: ``BackstitchError/Code/storeClosed`` when the gate is closed; what `body` throws.
    func pass<Result>(store: String, _ body: () throws -> Result) throws -> Result {
        defer { leave() }
        if state.add(1, ordering: .acquiring).oldValue & Self.closed != 0 {
            throw BackstitchError(.storeClosed, "\(store) was closed; open it again before using it")
        }
        return try body()
    }

    /// Closes the gate, and returns when all requests have left.
    ///
    /// - Returns: Whether it was open before.
    func close() -> Bool {
        let before = state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
        condition.lock()
        defer { condition.unlock() }
        while state.load(ordering: .acquiring) != Self.closed { condition.wait() }
        return before & Self.closed == 0
    }

    private func leave() {
        guard state.subtract(1, ordering: .releasing).newValue == Self.closed else { return }
        // The thread that closes looks at the number under the lock: it either saw this request leave, or waits by now.
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }
}
