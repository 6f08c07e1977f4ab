import Backstitch
import BackstitchSupport
import CoreMetrics
import Foundation
import Logging

/// The places of what a server keeps.
extension ZoneServer {
    func openStorage() async throws -> SQLiteZoneStorage {
        let configuration = configuration, metrics = MetricsSystem.factory
        return try await configuration.runner.run {
            // A thread has no task, and so not the metrics of one.
            try withMetricsFactory(metrics) {
                switch configuration.storage {
                case .directory(let folder):
                    try SQLiteZoneStorage.open(
                        directory: folder, isRestored: configuration.isRestored, runner: configuration.runner,
                        clock: configuration.clock, random: configuration.random, logger: configuration.logger)
                case .memory: try SQLiteZoneStorage.inMemory(runner: configuration.runner, random: configuration.random)
                }
            }
        }
    }

    /// The place of assets' content, where it is not the storage's own folder.
    func openAssets(of storage: any ZoneStorage) async throws -> (any AssetContentStore)? {
        guard case .s3(let bucket) = configuration.assets else { return nil }
        let store = try await S3ContentStore.open(bucket, secret: storage.secret, for: configuration)
        let folder = storage.assets
        if try await configuration.runner.run({ try folder.hasContent() }) {
            configuration.logger.warning(
                "the storage's folder still has assets, which are not looked for there any more; copy its folders of numbers to \(bucket.place), then remove them"
            )
        }
        return store
    }
}
