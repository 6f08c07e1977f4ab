public import Backstitch
import BackstitchSupport

/// A clock that stands still until it is told to move.
public final class VirtualClock: WallClock {
    private let time: Locked<Int64>

    /// A clock that shows `milliseconds` since 1970; by default a day in 2026.
    public init(milliseconds: Int64 = 1_790_000_000_000) { time = Locked(milliseconds) }

    /// The time it shows.
    public func milliseconds() -> Int64 { time.withLock { $0 } }

    /// Waits as long as the clock would take if it went, by the machine's: moving the clock wakes nobody.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until time: Int64) async throws {
        try await SystemClock().sleep(milliseconds: time - milliseconds())
    }

    /// Moves it, also back.
    public func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}
