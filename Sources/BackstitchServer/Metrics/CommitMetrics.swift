import CoreMetrics

/// How many writes share a commit, and how long they and the disk take.
struct CommitMetrics: Sendable {
    private let writes: Recorder
    private let duration: CoreMetrics.Timer
    private let sync: CoreMetrics.Timer

    init(_ factory: any MetricsFactory = MetricsSystem.factory) {
        writes = Recorder(label: ServerMeasure.commitWrites.rawValue, factory: factory)
        duration = factory.timer(.commitDuration)
        sync = factory.timer(.commitSync)
    }

    /// Notes a commit.
    ///
    /// - Parameters:
    ///   - count: Writes that it has.
    ///   - start: When the first of them began.
    ///   - wait: When the last one had ended, and the disk was waited for.
    func note(_ count: Int, since start: ContinuousClock.Instant, waitingSince wait: ContinuousClock.Instant) {
        let end = ContinuousClock.now
        writes.record(count)
        duration.recordNanoseconds((end - start).nanoseconds)
        sync.recordNanoseconds((end - wait).nanoseconds)
    }
}
