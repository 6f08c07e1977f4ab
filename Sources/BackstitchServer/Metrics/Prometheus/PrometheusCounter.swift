import BackstitchSupport
import CoreMetrics
import Synchronization

/// A whole number that only goes up.
final class PrometheusCounter: PrometheusSeries, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        if amount > 0 { value.wrappingAdd(amount, ordering: .relaxed) }
    }

    func reset() { value.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text.writePrometheusSample(name, labels, String(value.load(ordering: .relaxed)))
    }
}
