import NIOCore

/// The slowest pace allowed for a request's body. Memory held for a stalled body is lost to all other requests.
struct BodyPace: Sendable {
    /// Bytes a second, on average.
    var bytesPerSecond: Int64 = 1_024
    /// Time allowed without bytes: at the beginning, and after a pause caused by the server itself.
    var grace = TimeAmount.seconds(2)
    /// Longest pause for a body that was faster before.
    var longestPause = TimeAmount.seconds(10)

    /// The latest moment for the next bytes to arrive.
    ///
    /// - Parameter deadline: The deadline before these bytes arrived.
    func deadline(after bytes: Int, at now: NIODeadline, before deadline: NIODeadline) -> NIODeadline {
        let (gained, isLarge) = Int64(bytes).multipliedReportingOverflow(by: 1_000_000_000)
        let gain = isLarge ? longestPause : TimeAmount.nanoseconds(gained / max(bytesPerSecond, 1))
        return min(max(deadline, now) + gain, now + max(longestPause, grace))
    }
}
