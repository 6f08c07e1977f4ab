import CoreMetrics

/// The metrics of reads from read replicas.
struct ReplicaMetrics: Sendable {
    private let served: Counter
    private let behind: Counter
    private let failed: Counter

    init(_ factory: any MetricsFactory) {
        served = factory.counter(.replicaReads, ["result": "served"])
        behind = factory.counter(.replicaReads, ["result": "behind"])
        failed = factory.counter(.replicaReads, ["result": "failed"])
    }

    /// Counts a read. A read without any replica to ask is not counted.
    func note<Value>(_ reading: ReplicaReading<Value>) {
        switch reading {
        case .none: break
        case .behind: behind.increment()
        case .failed: failed.increment()
        case .served: served.increment()
        }
    }
}
