import Backstitch

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

    /// The machine's chance.
    static var random: any RandomNumberGenerator & Sendable { SystemRandomNumberGenerator() }
}
