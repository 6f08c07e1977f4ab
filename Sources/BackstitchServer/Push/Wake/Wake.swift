import Backstitch
import BackstitchSupport
import Logging

/// The push to apps that do not run: its settings, the waiting pushes, and the reports of their results.
final class Wake: Sendable {
    /// Milliseconds between two logs of one failure. When APNs fails, it fails for every push.
    private static let quiet: Int64 = 60_000

    let configuration: APNsConfiguration
    let queue = WakeQueue()
    let metrics: WakeMetrics
    private let clock: any WallClock
    private let logger: Logger
    private let reported = Locked<[String: Int64]>([:])

    init(_ configuration: APNsConfiguration, _ metrics: WakeMetrics, clock: any WallClock, logger: Logger) {
        self.configuration = configuration
        self.metrics = metrics
        self.clock = clock
        self.logger = logger
    }

    /// Queues pushes to be sent. Call it after the commit, never within; it does not wait.
    func post(_ pushes: [WakePush]) {
        let dropped = queue.add(pushes)
        for _ in 0..<dropped { metrics.note(.dropped) }
        if dropped > 0 { report("too many pushes wait for APNs, so the oldest are dropped", [:]) }
    }

    /// Logs a failure, each kind of it at most once a minute. Callers give neither tokens nor contents.
    func report(_ message: Logger.Message, _ metadata: Logger.Metadata) {
        let now = clock.uptime(), kind = "\(message) \(metadata)"
        let isDue = reported.withLock { reported in
            if let time = reported[kind], now < time + Self.quiet { return false }
            if reported.count >= 100 { reported = [:] }
            reported[kind] = now
            return true
        }
        if isDue { logger.warning(message, metadata: metadata) }
    }
}
