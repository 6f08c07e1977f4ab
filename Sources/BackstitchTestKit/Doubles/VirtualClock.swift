public import Backstitch
import BackstitchSupport

/// A clock that stands still until it is moved.
public final class VirtualClock: WallClock {
    private let time: Locked<(wall: Int64, uptime: Int64)>

    /// A clock that shows `milliseconds` since 1970; by default a day in 2026. Its uptime is zero.
    public init(milliseconds: Int64 = 1_790_000_000_000) { time = Locked((milliseconds, 0)) }

    /// The wall time that the clock shows.
    public func milliseconds() -> Int64 { time.withLock { $0.wall } }

    /// The milliseconds of uptime since the clock was made.
    public func uptime() -> Int64 { time.withLock { $0.uptime } }

    /// Waits for the remaining uptime, measured by the machine's clock. Moving this clock does not end the wait.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(untilUptime time: Int64) async throws {
        try await SystemClock().sleep(milliseconds: time - uptime())
    }

    /// Lets time pass: moves the wall time and the uptime by `milliseconds`.
    public func advance(by milliseconds: Int64) {
        time.withLock { time in
            time.wall += milliseconds
            time.uptime += milliseconds
        }
    }

    /// Sets the wall time forward or back by `milliseconds`, as people and time servers do. No time passes.
    public func jump(by milliseconds: Int64) { time.withLock { $0.wall += milliseconds } }
}
