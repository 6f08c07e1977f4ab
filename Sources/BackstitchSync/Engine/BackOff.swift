/// Waiting times that double with each failure in a row, spread so that clients of one server do not come back
/// together.
struct BackOff: Sendable {
    /// Milliseconds of the first wait.
    let first: Int64
    /// Milliseconds that no wait exceeds.
    let longest: Int64

    /// Milliseconds to wait after the failure number `attempt`, counted from one: between half of the doubled time and
    /// all of it.
    ///
    /// - Parameter random: Any bits; equal bits give equal times.
    func delay(attempt: Int, random: UInt64) -> Int64 {
        let doublings = min(max(attempt, 1) - 1, 30)
        let full = min(first << Int64(doublings), longest)
        let half = full / 2
        return half + Int64(random % UInt64(max(full - half, 1) + 1))
    }
}
