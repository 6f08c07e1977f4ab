import Dispatch

/// A request that waits for a connection. The pool serves those that wait in the order in which they came: a request
/// that comes later never overtakes them.
final class PoolWaiter {
    /// The thing that the pool gives to a waiter.
    enum Turn {
        /// A connection that another request has given back.
        case connection(PostgreSQLConnection)
        /// The right to open one.
        case room
        /// The pool was closed.
        case closed
    }

    /// The turn, set by the pool under its lock.
    private(set) var turn: Turn?
    private let signal = DispatchSemaphore(value: 0)

    /// Wakes the waiter.
    func give(_ turn: Turn) {
        self.turn = turn
        signal.signal()
    }

    /// Blocks until it is given something, by a clock that nothing sets.
    ///
    /// - Returns: false after so many seconds.
    func wait(seconds: Double) -> Bool { signal.wait(timeout: .now() + seconds) == .success }
}
