import CoreMetrics

/// Counts pushes to apps that do not run, by the results of the attempts.
struct WakeMetrics: Sendable {
    /// The result of an attempt.
    enum Result: String, Sendable, CaseIterable {
        /// APNs has accepted the push.
        case accepted
        /// It will be sent again.
        case repeated
        /// The device no longer has the app.
        case unregistered
        /// APNs refuses it: a fault of the configuration, or of the push.
        case refused
        /// Too many pushes waited, or there were too many attempts.
        case dropped
    }

    private let counters: [Result: Counter]

    init(_ factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: Result.allCases.map { result in
                (result, factory.counter(.wakePushes, ["result": result.rawValue]))
            })
    }

    func note(_ result: Result) { counters[result]?.increment() }
}
