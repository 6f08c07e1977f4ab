import Backstitch
import BackstitchSupport
import CoreMetrics
import Foundation
import Logging

/// The opening of the places for a server's data.
extension ZoneServer {
    func openStorage() async throws -> ZoneStorage {
        let configuration = configuration, metrics = MetricsSystem.factory
        return try await configuration.runner.run {
            // A thread has no task, and so it lacks the task's metrics.
            try withMetricsFactory(metrics) { try ZoneStorage.open(configuration) }
        }
    }

    /// The place of assets' content, if it is not the storage's own folder.
    func openAssets(of storage: ZoneStorage) async throws -> (any AssetContentStore)? {
        guard case .s3(let bucket) = configuration.assets else { return nil }
        let store = try await S3ContentStore.open(bucket, secret: storage.secret, for: configuration)
        let folder = storage.assets
        if try await configuration.runner.run({ try folder.hasContent() }) {
            configuration.logger.warning(
                "the storage's folder still has assets, but assets are no longer read from there; copy its numbered folders to \(bucket.place), then remove them"
            )
        }
        return store
    }
}
