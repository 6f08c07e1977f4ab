import Dispatch
public import Synchronization

/// Lets requests in until it is closed; closing waits for those inside to leave.
///
/// Each request passes it, so entering and leaving an open gate take one atomic step each, and no lock. It is public
/// for the same reason as ``Locked``.
public final class RequestGate: Sendable {
    /// How many are inside, and ``closed`` added once it is.
    @usableFromInline let state = Atomic(0)
    /// For those that close, to wait until all have left.
    private let condition = TimedCondition()

    @usableFromInline static let closed = 1 << 62

    /// An open gate.
    public init() {}

    /// Runs `body` as a request.
    ///
    /// - Throws: `closedError` when the gate is closed; what `body` throws.
    @inlinable
    public func pass<Result>(
        orThrow closedError: @autoclosure () -> any Error, _ body: () throws -> Result
    ) throws -> Result {
        defer { leave() }
        if state.add(1, ordering: .acquiring).oldValue & Self.closed != 0 { throw closedError() }
        return try body()
    }

    /// Lets one request in, if the gate is open; the caller ends it with ``leave()``, on any thread.
    package func enter() -> Bool {
        if state.add(1, ordering: .acquiring).oldValue & Self.closed == 0 { return true }
        leave()
        return false
    }

    /// How many requests are inside.
    package var count: Int { state.load(ordering: .relaxed) & ~Self.closed }

    /// Runs `body` as if one request, which the caller is itself, had left.
    package func leavingOut(_ body: () -> Void) {
        leave()
        body()
        state.add(1, ordering: .acquiring)
    }

    /// Closes the gate, and returns when all requests have left, or after so many seconds; nil to wait for all of them.
    ///
    /// - Returns: Whether it was open before.
    @discardableResult
    package func close(waiting seconds: Double? = nil) -> Bool {
        let before = state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
        let limit = seconds.map { DispatchTime.now() + $0 }
        condition.lock()
        defer { condition.unlock() }
        while state.load(ordering: .acquiring) != Self.closed, condition.wait(until: limit) {}
        return before & Self.closed == 0
    }

    /// Ends a request that was let in.
    @inlinable
    public func leave() {
        if state.subtract(1, ordering: .releasing).newValue == Self.closed { tellThatAllHaveLeft() }
    }

    /// The thread that closes looks at the number under the lock: it either saw the last request leave, or waits by
    /// now.
    @usableFromInline
    func tellThatAllHaveLeft() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }
}
