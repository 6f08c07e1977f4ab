import Foundation

/// The machine's clock.
public struct SystemClock: WallClock {
    /// The machine's clock.
    public init() {}

    /// Milliseconds since 1970, by the machine.
    public func milliseconds() -> Int64 { Date().milliseconds }

    /// Waits until the machine's clock shows the time.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until time: Int64) async throws {
        let wait = time - milliseconds()
        if wait > 0 { try await Task.sleep(for: .milliseconds(wait)) }
    }
}
