import Foundation

/// Adds up the time of what it measures: by the clock, and what this process took of its processors.
final class Stopwatch {
    /// Seconds by the clock.
    private(set) var wall = 0.0
    /// Seconds of processor time, all threads of this process.
    private(set) var processor = 0.0

    func measure<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let start = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_PROCESS_CPUTIME_ID))
        defer { add(since: start) }
        return try await body()
    }

    func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_PROCESS_CPUTIME_ID))
        defer { add(since: start) }
        return try body()
    }

    /// Adds a time that was measured elsewhere.
    func add(wall: Double, processor: Double) {
        self.wall += wall
        self.processor += processor
    }

    private func add(since start: (wall: Double, processor: Double)) {
        add(
            wall: Self.now(CLOCK_MONOTONIC) - start.wall,
            processor: Self.now(CLOCK_PROCESS_CPUTIME_ID) - start.processor)
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
