import CloudWire
import CoreMetrics

/// The duration of a storage's operation, and the number of its failures.
struct OperationMetrics: Sendable {
    private let duration: CoreMetrics.Timer
    private let errors: Counter

    init(_ factory: any MetricsFactory, _ name: String, _ duration: ServerMeasure, _ errors: ServerMeasure) {
        self.duration = factory.timer(duration, ["operation": name])
        self.errors = factory.counter(errors, ["operation": name])
    }

    /// Measures a call. An error for the wire, such as for a missing zone, is no failure of the storage.
    func measure<Value>(_ body: () async throws -> Value) async throws -> Value {
        let start = ContinuousClock.now
        defer { duration.recordNanoseconds((ContinuousClock.now - start).nanoseconds) }
        do { return try await body() } catch {
            if !(error is WireError), !(error is CancellationError) { noteFailure() }
            throw error
        }
    }

    /// Counts a failure after the end of the call.
    func noteFailure() { errors.increment() }
}
