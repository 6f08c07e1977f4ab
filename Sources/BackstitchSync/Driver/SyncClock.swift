public import Backstitch

/// The time of a synced store: what time it is, and waiting until a time.
package protocol SyncClock: WallClock {
    /// Waits until that time (milliseconds since 1970).
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until time: Int64) async throws
}

/// The machine's time.
package struct SystemSyncClock: SyncClock {
    private let wall = SystemClock()

    /// The machine's time.
    package init() {}

    package func milliseconds() -> Int64 { wall.milliseconds() }

    package func sleep(until time: Int64) async throws {
        let wait = time - milliseconds()
        if wait > 0 { try await Task.sleep(for: .milliseconds(wait)) }
    }
}
