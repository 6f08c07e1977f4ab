import BackstitchSupport
public import CoreMetrics

/// Keeps a program's metrics in memory, and shows them in the text format of Prometheus (0.0.4).
///
/// ```swift
/// let metrics = PrometheusMetricsFactory()
/// MetricsSystem.bootstrap(metrics)                 // once in a process, by the program
/// configuration.administration = .init(port: 9090, metrics: metrics)
/// ```
///
/// Counters and gauges cost an atomic addition, histograms a short lock. The number of series is limited. Further ones
/// are dropped, and counted in `backstitch_metrics_dropped_series_total`.
public final class PrometheusMetricsFactory: MetricsFactory {
    private struct Family {
        let kind: PrometheusKind
        /// The series by their labels, in the written form.
        var series: [String: any PrometheusSeries] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var count = 0
        var dropped = 0
    }

    private let durationBounds: [Double]
    private let valueBounds: [Double]
    private let limit: Int
    private let state = Locked(State())

    /// Creates a factory without any metrics.
    ///
    /// - Parameters:
    ///   - durationBounds: Upper bounds in seconds of the buckets of timers, ascending.
    ///   - valueBounds: Upper bounds of the buckets of recorders that aggregate values.
    ///   - seriesLimit: Most series in the factory.
    public init(
        durationBounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
        valueBounds: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096, 16_384, 65_536],
        seriesLimit: Int = 2_000
    ) {
        self.durationBounds = durationBounds
        self.valueBounds = valueBounds
        limit = seriesLimit
    }

    /// All series in the text format, in the order of their names and labels.
    ///
    /// Complexity: O(*n* log *n*) in the number of series.
    public func text() -> String {
        let (families, dropped) = state.withLock { ($0.families, $0.dropped) }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.writePrometheusHead(name, family.kind, help: ServerMeasure(rawValue: name)?.help)
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, to: &text)
            }
        }
        let name = "backstitch_metrics_dropped_series_total"
        text.writePrometheusHead(name, .counter, help: "Series that were not made because there were too many.")
        text.writePrometheusSample(name, "", String(dropped))
        return text
    }

    /// Makes a counter that only goes up.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, PrometheusCounter()) ?? NOOPMetricsHandler.instance
    }

    /// Makes a counter of fractions that only goes up.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter, PrometheusSum()) ?? NOOPMetricsHandler.instance
    }

    /// Makes a gauge for a current value.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, PrometheusGauge()) ?? NOOPMetricsHandler.instance
    }

    /// Makes a histogram of values, or a gauge of the last value.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else {
            return series(label, dimensions, .gauge, PrometheusGauge()) ?? NOOPMetricsHandler.instance
        }
        return series(label, dimensions, .histogram, PrometheusHistogram(valueBounds)) ?? NOOPMetricsHandler.instance
    }

    /// Makes a histogram of seconds. Its name ends with `_seconds`.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let name = label.hasSuffix("_seconds") ? label : label + "_seconds"
        return series(name, dimensions, .histogram, PrometheusHistogram(durationBounds)) ?? NOOPMetricsHandler.instance
    }

    /// Removes a counter from the factory.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Removes a counter from the factory.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }

    /// Removes a gauge from the factory.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Removes a histogram or gauge from the factory.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Removes a histogram from the factory.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    /// The series with this name and these labels: the existing one, or else the new one. Nil if there are too many, or
    /// if the name belongs to another kind.
    private func series<Series: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: PrometheusKind, _ new: Series
    ) -> Series? {
        let name = PrometheusName.metric(label), labels = PrometheusName.labels(dimensions)
        return state.withLock { state in
            var family = state.families[name] ?? Family(kind: kind)
            if let old = family.series[labels] as? Series, family.kind == kind { return old }
            guard family.kind == kind, family.series[labels] == nil, state.count < limit else {
                state.dropped += 1
                return nil
            }
            family.series[labels] = new
            state.families[name] = family
            state.count += 1
            return new
        }
    }

    private func remove(_ handler: AnyObject) {
        state.withLock { state in
            for (name, family) in state.families {
                guard let labels = family.series.first(where: { $0.value === handler })?.key else { continue }
                state.families[name]?.series[labels] = nil
                if family.series.count == 1 { state.families[name] = nil }
                state.count -= 1
                return
            }
        }
    }
}
