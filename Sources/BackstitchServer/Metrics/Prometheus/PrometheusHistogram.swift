import BackstitchSupport
import CoreMetrics
import Synchronization

/// The number of values up to each of some upper bounds.
final class PrometheusHistogram: PrometheusSeries, RecorderHandler, TimerHandler {
    private struct State {
        /// For each bound, the number of values in its bucket and in no lower one. The last count is for values beyond
        /// all bounds.
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
