import CoreMetrics

/// Counts pushes to apps that do not run, by how they ended.
struct WakeMetrics: Sendable {
    /// The end of an attempt.
    enum Result: String, Sendable, CaseIterable {
        /// APNs has taken it.
        case accepted
        /// It will be sent again.
        case repeated
        /// The device has no such app any more.
        case unregistered
        /// APNs does not take it: a fault of the configuration, or of the push.
        case refused
        /// There were too many, or too many attempts.
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
