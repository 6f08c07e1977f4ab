import BackstitchSupport
import CloudWire
import CoreMetrics

/// How much work of a size waits and runs.
struct WorkMeters: Sendable {
    let waiting: Meter
    let running: Meter

    init(_ factory: any MetricsFactory, size: String) {
        waiting = factory.meter(.workWaiting, ["size": size])
        running = factory.meter(.workRunning, ["size": size])
    }
}
