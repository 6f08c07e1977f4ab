import BackstitchSupport

/// When a store of content was looked through for what crashes have left: once a day.
struct DailySweep: Sendable {
    static let day: Int64 = 24 * 3_600_000

    /// The uptime of the last one.
    private let last = Locked<Int64?>(nil)

    /// Whether a day has gone since the last one; then another one begins.
    ///
    /// - Parameter time: The uptime.
    func begins(at time: Int64) -> Bool {
        last.withLock { last in
            if let last, time - last < Self.day { return false }
            last = time
            return true
        }
    }

    /// Notes that the last one broke off, so that it is begun again.
    func breakOff() { last.withLock { $0 = nil } }
}
