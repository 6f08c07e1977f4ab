import Backstitch

/// A time for windows that are noted in the store, such as the wait until a new try.
///
/// It is the wall time at the opening of the store, plus the uptime since. So it does not jump when the wall clock is
/// set, and yet a note of an earlier process can be compared with it. That process may have had another wall time. So
/// a reader of a note must also expect a time in the future.
struct SteadyTime: Sendable {
    private let clock: any WallClock
    private let start: Int64

    /// Creates a time that is equal to the wall time now.
    init(_ clock: any WallClock) {
        self.clock = clock
        start = clock.milliseconds() - clock.uptime()
    }

    /// The present time in milliseconds since 1970.
    func milliseconds() -> Int64 { start + clock.uptime() }
}
