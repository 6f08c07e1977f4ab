import CoreMetrics
import Hummingbird

/// The numbers of the place of assets' content, whichever it is.
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
