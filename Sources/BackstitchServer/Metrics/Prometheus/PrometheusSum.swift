import BackstitchSupport
import CoreMetrics
import Synchronization

/// A number with a fraction. It only goes up.
final class PrometheusSum: PrometheusSeries, FloatingPointCounterHandler {
    private let value = AtomicDouble()

    func increment(by amount: Double) {
        if amount > 0, amount.isFinite { value.add(amount) }
    }

    func reset() { value.set(0) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text.writePrometheusSample(name, labels, PrometheusName.number(value.get()))
    }
}
