public import Backstitch
import BackstitchSupport

/// A clock that stands still until it is told to move.
public final class VirtualClock: WallClock {
    private let time: Locked<(wall: Int64, uptime: Int64)>

    /// A clock that shows `milliseconds` since 1970; by default a day in 2026. Its uptime is zero.
    public init(milliseconds: Int64 = 1_790_000_000_000) { time = Locked((milliseconds, 0)) }

    /// The wall time it shows.
    public func milliseconds() -> Int64 { time.withLock { $0.wall } }

    /// Milliseconds that have gone by since it was made.
    public func uptime() -> Int64 { time.withLock { $0.uptime } }

    /// Waits as long as the clock would take if it went, by the machine's: moving the clock wakes nobody.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(untilUptime time: Int64) async throws {
        try await SystemClock().sleep(milliseconds: time - uptime())
    }

    /// Lets so much time pass: wall time and uptime.
    public func advance(by milliseconds: Int64) {
        time.withLock { time in
            time.wall += milliseconds
            time.uptime += milliseconds
        }
    }

    /// Sets the wall time forward, or back, by so many milliseconds, as people and time servers do. No time passes.
    public func jump(by milliseconds: Int64) { time.withLock { $0.wall += milliseconds } }
}
