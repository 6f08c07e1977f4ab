import Backstitch
import BackstitchSQLite
import BackstitchSync
import Foundation

/// A device: a synced store in a folder of its own.
final class Device {
    let name: String
    private(set) var container: PersistentContainer
    private let folder: URL
    private let server: URL
    private let dataset: any Dataset

    init(_ name: String, folder: URL, server: URL, dataset: any Dataset) throws {
        self.name = name
        self.folder = folder
        self.server = server
        self.dataset = dataset
        container = try Self.open(folder, server, dataset, policy: "serverWins")
    }

    /// Opens the store again, with another conflict policy.
    func reopen(policy: String) throws {
        try container.close()
        container = try Self.open(folder, server, dataset, policy: policy)
    }

    /// Runs one cycle: reads everything from the server, sends everything to it.
    func sync(_ reason: String) async throws -> SyncSummary {
        try await container.requireSync().sync(reason: .manual(reason))
    }

    /// Runs one cycle and shows its progress in a bar.
    func sync(_ reason: String, showing bar: ProgressBar) async throws -> SyncSummary {
        let events = try container.requireSync().events
        let watcher = Task {
            for await event in events {
                if case .progress(let progress) = event { bar.update(progress.received + progress.sent) }
            }
        }
        defer { watcher.cancel() }
        return try await sync(reason)
    }

    func close() throws { try container.close() }

    private static func open(
        _ folder: URL, _ server: URL, _ dataset: any Dataset, policy: String
    ) throws -> PersistentContainer {
        try PersistentContainer(
            model: dataset.model,
            store: .init(
                type: .sync, url: folder,
                options: [
                    .backingStoreType: "SQLite", .syncServerURL: server, .syncConflictResolutionPolicy: policy,
                    .excludedUnchangingAsyncAssetKeys: dataset.excludedAssets,
                    // The demonstration itself decides when a device syncs.
                    .syncAutomatically: false, .syncOnSave: false,
                ]))
    }
}
