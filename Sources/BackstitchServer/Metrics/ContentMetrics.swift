import CoreMetrics
import Hummingbird

/// The metrics of the place of assets' content, a folder or a bucket.
struct ContentMetrics: Sendable {
    let put: OperationMetrics
    let look: OperationMetrics
    let get: OperationMetrics
    let remove: OperationMetrics

    init(_ factory: any MetricsFactory) {
        func operation(_ name: String) -> OperationMetrics {
            OperationMetrics(factory, name, .contentDuration, .contentErrors)
        }
        put = operation("put")
        look = operation("look")
        get = operation("get")
        remove = operation("remove")
    }
}
