package import Backstitch

/// The time of a synced store: what time it is, and waiting until a time.
package protocol SyncClock: WallClock {
    /// Waits until that time (milliseconds since 1970).
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until time: Int64) async throws
}
