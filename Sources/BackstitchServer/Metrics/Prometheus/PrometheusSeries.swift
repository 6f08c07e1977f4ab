import BackstitchSupport
import CoreMetrics
import Synchronization

/// One line or several of the text format, with the number behind them.
protocol PrometheusSeries: AnyObject, Sendable {
    /// - Parameter labels: As they are written, without braces.
    func write(_ name: String, _ labels: String, to text: inout String)
}

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

/// A number with a fraction that only goes up.
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

/// A number that goes up and down.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
    private let value = AtomicDouble()

    func set(_ value: Int64) { self.value.set(Double(value)) }
    func set(_ value: Double) { self.value.set(value) }
    func increment(by amount: Double) { value.add(amount) }
    func decrement(by amount: Double) { value.add(-amount) }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text.writePrometheusSample(name, labels, PrometheusName.number(value.get()))
    }
}

/// How many values were at most as large as each of some bounds.
final class PrometheusHistogram: PrometheusSeries, RecorderHandler, TimerHandler {
    private struct State {
        /// For each bound the values that are in its bucket and in no lower one; at the end those beyond all.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Locked<State>

    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Locked(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        if value.isNaN { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(max(duration, 0)) / 1e9) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        let more = labels.isEmpty ? "" : labels + ","
        var count: UInt64 = 0
        for (bound, own) in zip(bounds + [.infinity], counts) {
            count += own
            text.writePrometheusSample(
                name + "_bucket", "\(more)le=\"\(PrometheusName.number(bound))\"", String(count))
        }
        text.writePrometheusSample(name + "_sum", labels, PrometheusName.number(sum))
        text.writePrometheusSample(name + "_count", labels, String(count))
    }
}

/// A number with a fraction that threads change without a lock.
private struct AtomicDouble: ~Copyable {
    private let bits = Atomic<UInt64>(0)

    func get() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: old) + amount
            let (isDone, now) = bits.weakCompareExchange(
                expected: old, desired: sum.bitPattern, ordering: .relaxed)
            if isDone { return }
            old = now
        }
    }
}
