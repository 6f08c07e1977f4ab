import NIOCore

/// How fast the body of a request must come. What is held for a body that does not come is lost to everybody else.
struct BodyPace: Sendable {
    /// Bytes a second, on average.
    var bytesPerSecond: Int64 = 1_024
    /// For so long nothing need come: at the beginning, and after time that the server has taken itself.
    var grace = TimeAmount.seconds(2)
    /// A body that comes faster may stand still for so long.
    var longestPause = TimeAmount.seconds(10)

    /// The latest moment at which the next bytes must have come.
    ///
    /// - Parameter deadline: The one before these bytes.
    func deadline(after bytes: Int, at now: NIODeadline, before deadline: NIODeadline) -> NIODeadline {
        let (gained, isLarge) = Int64(bytes).multipliedReportingOverflow(by: 1_000_000_000)
        let gain = isLarge ? longestPause : TimeAmount.nanoseconds(gained / max(bytesPerSecond, 1))
        return min(max(deadline, now) + gain, now + max(longestPause, grace))
    }
}
