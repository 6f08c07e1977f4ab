import CoreMetrics

/// The number of writes in a commit, and the time taken by them and by the disk.
struct CommitMetrics: Sendable {
    private let writes: Recorder
    private let duration: CoreMetrics.Timer
    private let sync: CoreMetrics.Timer

    init(_ factory: any MetricsFactory = MetricsSystem.factory) {
        writes = Recorder(label: ServerMeasure.commitWrites.rawValue, factory: factory)
        duration = factory.timer(.commitDuration)
        sync = factory.timer(.commitSync)
    }

    /// Records the figures of one commit.
    ///
    /// - Parameters:
    ///   - count: The number of its writes.
    ///   - start: The beginning of its first write.
    ///   - wait: The end of its last write, and the beginning of the wait for the disk.
    func note(_ count: Int, since start: ContinuousClock.Instant, waitingSince wait: ContinuousClock.Instant) {
        let end = ContinuousClock.now
        writes.record(count)
        duration.recordNanoseconds((end - start).nanoseconds)
        sync.recordNanoseconds((end - wait).nanoseconds)
    }
}
