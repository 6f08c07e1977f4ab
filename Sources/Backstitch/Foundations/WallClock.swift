public import Foundation

/// The source of time for Backstitch. Tests and the simulator supply their own.
///
/// It has two times. The wall time is for stored dates, and for dates sent to others. People and time servers set it,
/// so it jumps. The uptime is for waits, timeouts and windows within one process: it never goes back.
public protocol WallClock: Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    func milliseconds() -> Int64

    /// Milliseconds since a fixed moment in the life of the process. It continues at the same pace when the wall time
    /// is set.
    func uptime() -> Int64

    /// Waits until the uptime reaches a time, in milliseconds; returns at once if it has.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    func sleep(untilUptime time: Int64) async throws
}

extension WallClock {
    /// The wall time as a date, exact to the millisecond.
    public func now() -> Date { Date(milliseconds: milliseconds()) }

    /// Waits for a number of milliseconds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(milliseconds count: Int64) async throws { try await sleep(untilUptime: uptime() + count) }
}
