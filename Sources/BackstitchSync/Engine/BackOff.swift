/// Waits that double with each failure in a row. They vary at random, so that clients of one server do not return at
/// the same time.
struct BackOff: Sendable {
    /// The first wait, in milliseconds.
    let first: Int64
    /// The longest wait, in milliseconds.
    let longest: Int64

    /// Returns the wait after failure number `attempt`, counted from one, in milliseconds. It is between half of the
    /// doubled time and all of it.
    ///
    /// - Parameter random: Any bits; equal bits give equal times.
    func delay(attempt: Int, random: UInt64) -> Int64 {
        let doublings = min(max(attempt, 1) - 1, 30)
        let full = min(first << Int64(doublings), longest)
        let half = full / 2
        return half + Int64(random % UInt64(max(full - half, 1) + 1))
    }
}
