import BackstitchSQL
import CoreMetrics

/// A storage with measured reads and writes.
struct MeasuredStorage: ZoneStorage {
    private let storage: any ZoneStorage
    private let metrics: StorageMetrics

    init(_ storage: any ZoneStorage, _ metrics: StorageMetrics) {
        self.storage = storage
        self.metrics = metrics
    }

    var secret: [UInt8] { storage.secret }
    var history: Int64 { storage.history }
    var isShared: Bool { storage.isShared }
    var assets: AssetFolder { storage.assets }
    var hasReplicas: Bool { storage.hasReplicas }

    func requireRoom() async throws { try await storage.requireRoom() }

    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value> { try await storage.readFromReplica(body) }

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

    func makeNotifier() throws -> (any SQLNotifier)? { try storage.makeNotifier() }

    func close() async throws { try await storage.close() }
}
