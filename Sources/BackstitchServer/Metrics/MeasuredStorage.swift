import CloudWire
import CoreMetrics

/// The numbers of a storage, whichever it is.
struct StorageMetrics: Sendable {
    /// A way into the storage.
    struct Way: Sendable {
        let duration: CoreMetrics.Timer
        let errors: Counter

        /// Measures a call. What the storage throws on behalf of the wire (a zone that is not there) is no failure of
        /// the storage.
        func measure<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
            let start = ContinuousClock.now
            defer { duration.recordNanoseconds((ContinuousClock.now - start).nanoseconds) }
            do { return try await body() } catch {
                if !(error is WireError), !(error is CancellationError) { errors.increment() }
                throw error
            }
        }
    }

    let read: Way
    let write: Way
    let writesPending: Meter

    init(_ factory: any MetricsFactory) {
        func way(_ name: String) -> Way {
            Way(
                duration: factory.timer(.storageDuration, ["operation": name]),
                errors: factory.counter(.storageErrors, ["operation": name]))
        }
        read = way("read")
        write = way("write")
        writesPending = factory.meter(.writesPending)
    }
}

/// A storage whose reads and writes are measured.
struct MeasuredStorage: ZoneStorage {
    private let storage: any ZoneStorage
    private let metrics: StorageMetrics

    init(_ storage: any ZoneStorage, _ metrics: StorageMetrics) {
        self.storage = storage
        self.metrics = metrics
    }

    var secret: [UInt8] { storage.secret }
    var history: Int64 { storage.history }
    var assets: AssetFolder { storage.assets }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value
    ) async throws -> Value {
        try await metrics.read.measure { try await storage.read(body) }
    }

    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        metrics.writesPending.increment()
        defer { metrics.writesPending.decrement() }
        return try await metrics.write.measure { try await storage.write(for: user, bytes: bytes, body) }
    }

    func close() async throws { try await storage.close() }
}
