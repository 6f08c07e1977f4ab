import Dispatch

/// A request that waits for a connection. The pool serves waiting requests in the order of their arrival: a later
/// request never overtakes an earlier one.
final class PoolWaiter {
    /// The result of a wait: the pool's gift to the request.
    enum Turn {
        /// A connection that another request has returned.
        case connection(PostgreSQLConnection)
        /// The right to open one connection.
        case room
        /// The pool was closed.
        case closed
    }

    /// The turn. The pool sets it under its lock.
    private(set) var turn: Turn?
    private let signal = DispatchSemaphore(value: 0)

    /// Gives the turn, and wakes the waiting request.
    func give(_ turn: Turn) {
        self.turn = turn
        signal.signal()
    }

    /// Blocks until the pool gives a turn, on a clock that is never set back or forward.
    ///
    /// - Returns: false if `seconds` have passed without a turn.
    func wait(seconds: Double) -> Bool { signal.wait(timeout: .now() + seconds) == .success }
}
