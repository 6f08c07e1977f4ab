/// Limits a rate: an average number a second, and ten times as many at once after a pause.
struct TokenBucket: Sendable {
    private let rate: Double
    private var tokens: Double
    /// The uptime of the last refill.
    private var filled: Int64

    init(perSecond rate: Int, at now: Int64) {
        self.rate = Double(rate)
        tokens = Double(rate) * Self.burst
        filled = now
    }

    /// Takes a token, if there is one.
    ///
    /// - Returns: nil, or the seconds to wait for the next one.
    mutating func take(at now: Int64) -> Int? {
        tokens = min(tokens + rate * Double(now - filled) / 1_000, rate * Self.burst)
        filled = now
        guard tokens < 1 else {
            tokens -= 1
            return nil
        }
        return max(Int(((1 - tokens) / rate).rounded(.up)), 1)
    }

    /// Whether the bucket is full again, like a new one.
    func isFull(at now: Int64) -> Bool { tokens + rate * Double(now - filled) / 1_000 >= rate * Self.burst }

    private static let burst = 10.0
}
