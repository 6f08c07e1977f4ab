import BackstitchSQL
import CoreMetrics

/// The metrics of a storage of any kind.
struct StorageMetrics: Sendable {
    let read: OperationMetrics
    let write: OperationMetrics
    let writesPending: Meter

    init(_ factory: any MetricsFactory) {
        read = OperationMetrics(factory, "read", .storageDuration, .storageErrors)
        write = OperationMetrics(factory, "write", .storageDuration, .storageErrors)
        writesPending = factory.meter(.writesPending)
    }
}
