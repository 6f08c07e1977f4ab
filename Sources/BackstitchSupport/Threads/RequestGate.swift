import Dispatch
public import Synchronization

/// Admits requests until it is closed; closing waits until the admitted requests have left.
///
/// Each request passes it, so entering and leaving an open gate take one atomic step each, and no lock. It is public
/// for the same reason as ``Locked``.
public final class RequestGate: Sendable {
    /// The number of requests inside, plus ``closed`` once the gate is closed.
    @usableFromInline let state = Atomic(0)
    /// A closing thread waits on it until all requests have left.
    private let condition = TimedCondition()

    @usableFromInline static let closed = 1 << 62

    /// Makes an open gate.
    public init() {}

    /// Runs `body` as a request.
    ///
    /// - Throws: `closedError` if the gate is closed; the error of `body`.
    @inlinable
    public func pass<Result>(
        orThrow closedError: @autoclosure () -> any Error, _ body: () throws -> Result
    ) throws -> Result {
        defer { leave() }
        if state.add(1, ordering: .acquiring).oldValue & Self.closed != 0 { throw closedError() }
        return try body()
    }

    /// Admits one request if the gate is open. The caller ends it with ``leave()``, on any thread.
    package func enter() -> Bool {
        if state.add(1, ordering: .acquiring).oldValue & Self.closed == 0 { return true }
        leave()
        return false
    }

    /// The number of requests inside the gate.
    package var count: Int { state.load(ordering: .relaxed) & ~Self.closed }

    /// Runs `body` while the caller's own request does not count as inside.
    package func leavingOut(_ body: () -> Void) {
        leave()
        body()
        state.add(1, ordering: .acquiring)
    }

    /// Closes the gate, and returns when all requests have left, or after `seconds`; nil waits without a limit.
    ///
    /// - Returns: Whether the gate was open before.
    @discardableResult
    package func close(waiting seconds: Double? = nil) -> Bool {
        let before = state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
        let limit = seconds.map { DispatchTime.now() + $0 }
        condition.lock()
        defer { condition.unlock() }
        while state.load(ordering: .acquiring) != Self.closed, condition.wait(until: limit) {}
        return before & Self.closed == 0
    }

    /// Ends an admitted request.
    @inlinable
    public func leave() {
        if state.subtract(1, ordering: .releasing).newValue == Self.closed { tellThatAllHaveLeft() }
    }

    /// Wakes the closing threads. A closing thread reads the number under the lock. So it has either seen the last
    /// request leave, or already waits.
    @usableFromInline
    func tellThatAllHaveLeft() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }
}
