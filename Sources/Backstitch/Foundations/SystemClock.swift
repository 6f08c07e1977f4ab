import Foundation

/// The clock of the machine.
public struct SystemClock: WallClock {
    private static let start = ContinuousClock.now

    /// Makes the machine's clock.
    public init() {}

    /// Milliseconds since 1970, by the machine's wall time.
    public func milliseconds() -> Int64 { Date().milliseconds }

    /// Milliseconds since the first use in this process, including the time while the machine slept.
    public func uptime() -> Int64 {
        let (seconds, attoseconds) = Self.start.duration(to: .now).components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// Waits until the uptime reaches a time, in milliseconds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(untilUptime time: Int64) async throws {
        let wait = time - uptime()
        if wait > 0 { try await Task.sleep(for: .milliseconds(wait)) }
    }
}
