import CloudWire
import CoreMetrics

/// How long an operation of a storage takes, and how often it fails.
struct OperationMetrics: Sendable {
    private let duration: CoreMetrics.Timer
    private let errors: Counter

    init(_ factory: any MetricsFactory, _ name: String, _ duration: ServerMeasure, _ errors: ServerMeasure) {
        self.duration = factory.timer(duration, ["operation": name])
        self.errors = factory.counter(errors, ["operation": name])
    }

    /// Measures a call. What the storage throws on behalf of the wire (a zone that is not there) is no failure of
    /// the storage.
    func measure<Value>(_ body: () async throws -> Value) async throws -> Value {
        let start = ContinuousClock.now
        defer { duration.recordNanoseconds((ContinuousClock.now - start).nanoseconds) }
        do { return try await body() } catch {
            if !(error is WireError), !(error is CancellationError) { noteFailure() }
            throw error
        }
    }

    /// Counts a failure that came after the call.
    func noteFailure() { errors.increment() }
}
