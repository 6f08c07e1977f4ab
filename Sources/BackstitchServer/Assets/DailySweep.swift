import BackstitchSupport

/// The daily search of a content store for leftovers of crashes.
struct DailySweep: Sendable {
    static let day: Int64 = 24 * 3_600_000

    /// The uptime at the last search.
    private let last = Locked<Int64?>(nil)

    /// Whether a day has passed since the last search. If so, a new one begins.
    ///
    /// - Parameter time: The uptime.
    func begins(at time: Int64) -> Bool {
        last.withLock { last in
            if let last, time - last < Self.day { return false }
            last = time
            return true
        }
    }

    /// Notes that the last search was interrupted and must be repeated.
    func breakOff() { last.withLock { $0 = nil } }
}
