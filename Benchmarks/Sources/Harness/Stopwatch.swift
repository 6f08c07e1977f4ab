import Foundation

/// Adds up measured times: by the clock, and as processor time of this process.
package final class Stopwatch {
    /// Seconds by the clock.
    package private(set) var wall = 0.0
    /// Seconds of processor time, over all threads of this process.
    package private(set) var processor = 0.0

    package init() {}

    /// The time by the clock, as text.
    package var text: String { String(format: "%.1f s", wall) }

    package func measure<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let start = (ContinuousClock.now, clock())
        defer { add(since: start) }
        return try await body()
    }

    package func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = (ContinuousClock.now, clock())
        defer { add(since: start) }
        return try body()
    }

    /// Adds a time measured elsewhere.
    package func add(wall: Double, processor: Double) {
        self.wall += wall
        self.processor += processor
    }

    private func add(since start: (wall: ContinuousClock.Instant, processor: clock_t)) {
        // POSIX defines the unit of `clock` as microseconds.
        add(wall: start.wall.duration(to: .now) / .seconds(1), processor: Double(clock() - start.processor) / 1e6)
    }
}
