import Backstitch

/// The machine's clock with shortened waits: short ones, as between two tries, end at once.
struct HastyClock: WallClock {
    private let clock = SystemClock()

    func milliseconds() -> Int64 { clock.milliseconds() }

    func uptime() -> Int64 { clock.uptime() }

    func sleep(untilUptime time: Int64) async throws {
        if time - uptime() > 10_000 { try await clock.sleep(untilUptime: time) } else { try Task.checkCancellation() }
    }
}
