import BackstitchSupport
import CloudWire
import CoreMetrics

/// The number of requests of one size that wait and run.
struct WorkMeters: Sendable {
    let waiting: Meter
    let running: Meter

    init(_ factory: any MetricsFactory, size: String) {
        waiting = factory.meter(.workWaiting, ["size": size])
        running = factory.meter(.workRunning, ["size": size])
    }
}
