public import Foundation

/// Where Backstitch takes the time from, so that tests and the simulator can give their own.
public protocol WallClock: Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    func milliseconds() -> Int64

    /// Waits until the clock shows a time (milliseconds since 1970); returns at once if it does.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(until time: Int64) async throws
}

extension WallClock {
    /// The time as a date, exact to the millisecond.
    public func now() -> Date { Date(milliseconds: milliseconds()) }

    /// Waits for so many milliseconds.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(milliseconds count: Int64) async throws { try await sleep(until: milliseconds() + count) }
}
