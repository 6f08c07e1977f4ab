import CoreMetrics
import Testing

@testable import BackstitchServer

/// The text that Prometheus reads.
@Suite("metrics in Prometheus' text format") struct PrometheusTests {
    private func lines(_ factory: PrometheusMetricsFactory) -> [String] {
        factory.text().split(separator: "\n").map(String.init)
    }

    @Test("a counter goes up, and two of one name and labels are one")
    func counters() {
        let factory = PrometheusMetricsFactory()
        for _ in 0..<2 {
            let counter = Counter(label: "hits_total", dimensions: [("b", "2"), ("a", "1")], factory: factory)
            counter.increment(by: 3)
            counter.increment(by: -2)
        }
        Counter(label: "hits_total", dimensions: [("a", "1"), ("b", "2")], factory: factory).increment()
        Counter(label: "hits_total", factory: factory).increment()
        let lines = lines(factory)
        #expect(lines.contains("# TYPE hits_total counter"))
        #expect(lines.filter { $0.hasPrefix("hits_total") } == ["hits_total 1", "hits_total{a=\"1\",b=\"2\"} 7"])
    }

    @Test("a gauge goes up and down, and is what was set or recorded last")
    func gauges() {
        let factory = PrometheusMetricsFactory()
        let meter = Meter(label: "open", factory: factory)
        meter.increment()
        meter.increment(by: 2.5)
        meter.decrement()
        Gauge(label: "level", factory: factory).record(7)
        FloatingPointCounter(label: "seconds_total", factory: factory).increment(by: 0.25)
        let lines = lines(factory)
        #expect(lines.contains("open 2.5"))
        #expect(lines.contains("# TYPE level gauge") && lines.contains("level 7"))
        #expect(lines.contains("# TYPE seconds_total counter") && lines.contains("seconds_total 0.25"))
    }

    @Test("a histogram counts each value in all buckets that it fits; a timer has seconds, and says so")
    func histograms() {
        let factory = PrometheusMetricsFactory(durationBounds: [0.01, 1], valueBounds: [1, 10])
        let timer = CoreMetrics.Timer(label: "work", dimensions: [("route", "x")], factory: factory)
        timer.recordNanoseconds(5_000_000)
        timer.recordNanoseconds(500_000_000)
        timer.recordNanoseconds(2_000_000_000)
        timer.recordNanoseconds(Int64(-5))
        Recorder(label: "size", factory: factory).record(10)
        let lines = lines(factory)
        #expect(
            lines.filter { $0.hasPrefix("work") } == [
                "work_seconds_bucket{route=\"x\",le=\"0.01\"} 2", "work_seconds_bucket{route=\"x\",le=\"1\"} 3",
                "work_seconds_bucket{route=\"x\",le=\"+Inf\"} 4", "work_seconds_sum{route=\"x\"} 2.505",
                "work_seconds_count{route=\"x\"} 4",
            ])
        #expect(
            lines.filter { $0.hasPrefix("size") } == [
                "size_bucket{le=\"1\"} 0", "size_bucket{le=\"10\"} 1", "size_bucket{le=\"+Inf\"} 1", "size_sum 10",
                "size_count 1",
            ])
    }

    @Test("names and labels that the format does not have are mended, and values are escaped")
    func escaping() {
        let factory = PrometheusMetricsFactory()
        let dimensions = [
            ("le", "\"quoted\""), ("le", "second"), ("__own", "back\\slash"), ("a.b", "two\nlines"), ("9", "ü"),
        ]
        Counter(label: "1 http.requests", dimensions: dimensions, factory: factory).increment()
        let expected = #"_1_http_requests{_9="ü",a_b="two\nlines",label___own="back\\slash",label_le="\"quoted\""} 1"#
        #expect(lines(factory).contains(expected))
    }

    @Test("there are so many series and no more; those that were dropped are counted")
    func bounded() {
        let factory = PrometheusMetricsFactory(seriesLimit: 5)
        for number in 0..<9 {
            Counter(label: "many_total", dimensions: [("n", "\(number)")], factory: factory).increment()
        }
        // A name has one type.
        Meter(label: "many_total", factory: factory).increment()
        let lines = lines(factory)
        #expect(lines.filter { $0.hasPrefix("many_total") }.count == 5)
        #expect(lines.contains("backstitch_metrics_dropped_series_total 5"))
    }

    @Test("a metric that its library gives up is gone, and makes room")
    func destroyed() {
        let factory = PrometheusMetricsFactory(seriesLimit: 1)
        let counter = Counter(label: "one_total", factory: factory)
        counter.destroy()
        Counter(label: "two_total", factory: factory).increment()
        #expect(!factory.text().contains("one_total") && factory.text().contains("two_total 1"))
    }

    @Test("threads that count at the same time lose nothing")
    func threads() async {
        let factory = PrometheusMetricsFactory(durationBounds: [1])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "c_total", factory: factory)
                    let meter = Meter(label: "g", factory: factory)
                    let timer = CoreMetrics.Timer(label: "t", factory: factory)
                    for _ in 0..<500 {
                        counter.increment()
                        meter.increment()
                        timer.recordNanoseconds(1_000)
                    }
                }
            }
        }
        let lines = lines(factory)
        #expect(lines.contains("c_total 4000") && lines.contains("g 4000") && lines.contains("t_seconds_count 4000"))
    }

    @Test("a commit is counted with its writes, its time and the disk's")
    func commits() {
        let factory = PrometheusMetricsFactory()
        let now = ContinuousClock.now
        CommitMetrics(factory).note(3, since: now - .seconds(2), waitingSince: now - .seconds(1))
        let lines = lines(factory)
        #expect(lines.contains("backstitch_commit_writes_bucket{le=\"2\"} 0"))
        #expect(lines.contains("backstitch_commit_writes_bucket{le=\"4\"} 1"))
        #expect(lines.contains("backstitch_commit_writes_sum 3"))
        #expect(lines.contains("backstitch_commit_sync_seconds_bucket{le=\"0.5\"} 0"))
        #expect(lines.contains("backstitch_commit_duration_seconds_bucket{le=\"1\"} 0"))
        #expect(lines.contains("backstitch_commit_duration_seconds_count 1"))
    }

    @Test("numbers are written as the format has them")
    func numbers() {
        let written = [0, 1.5, -2, .infinity, -.infinity, .nan, 1e300].map(PrometheusName.number)
        #expect(written == ["0", "1.5", "-2", "+Inf", "-Inf", "NaN", "1e+300"])
    }
}
