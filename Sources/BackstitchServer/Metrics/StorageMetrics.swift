import BackstitchSQL
import CoreMetrics

/// How long reads and writes of a storage take, how often they fail, and the number of waiting writes.
struct StorageMetrics: Sendable {
    let read: OperationMetrics
    let write: OperationMetrics
    let writesPending: Meter

    init(_ factory: any MetricsFactory = MetricsSystem.factory) {
        read = OperationMetrics(factory, "read", .storageDuration, .storageErrors)
        write = OperationMetrics(factory, "write", .storageDuration, .storageErrors)
        writesPending = factory.meter(.writesPending)
    }
}
