import Foundation

/// The machine's clock.
public struct SystemClock: WallClock {
    private static let start = ContinuousClock.now

    /// The machine's clock.
    public init() {}

    /// Milliseconds since 1970, by the machine.
    public func milliseconds() -> Int64 { Date().milliseconds }

    /// Milliseconds since the process first asked, those included in which the machine slept.
    public func uptime() -> Int64 {
        let (seconds, attoseconds) = Self.start.duration(to: .now).components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// Waits until the uptime has come to a time, in milliseconds.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(untilUptime time: Int64) async throws {
        let wait = time - uptime()
        if wait > 0 { try await Task.sleep(for: .milliseconds(wait)) }
    }
}
