import BackstitchSQL
import Logging

extension StorageMaintenance {
    /// The number of things removed by a purge.
    public struct Purged: Sendable, Codable, Hashable {
        /// Tombstones older than their retention.
        public var deletions: Int
        /// Answers to idempotency keys.
        public var answers: Int
        /// Assets without a record that used them.
        public var assets: Int
        /// Deleted zones with content still to be removed.
        public var zones: Int
    }

    /// Removes everything at once that servers remove minute by minute. This covers old answers, deletions and push
    /// tokens, the content of deleted zones, unused assets and unused query indexes. Then it searches the folder or the
    /// bucket for content left by a crash. The configuration sets the ages.
    ///
    /// - Throws: ``ZoneServerError`` if there is no storage, or a server has its folder.
    public func purge() async throws -> Purged {
        if case .directory(let url) = configuration.storage {
            _ = try await BlockingWork.run { try StorageDirectory.existingFile(in: url) }
        }
        // Reports a missing storage, since the next step would make one.
        let before = try await reading { try Self.oldThings($0) }
        let configuration = configuration
        let storage = try await BlockingWork.run { try ZoneStorage.open(configuration) }
        do {
            var store: (any AssetContentStore)?
            if case .s3(let bucket) = configuration.assets {
                store = try await S3ContentStore.open(bucket, secret: storage.secret, for: configuration)
            }
            try await CleanUp(ZoneService(storage: storage, assets: store, configuration: configuration)).run()
        } catch {
            try? await storage.close()
            throw Self.explained(error, "the storage")
        }
        try await storage.close()
        let after = try await reading { try Self.oldThings($0) }
        return Purged(
            deletions: max(before.deletions - after.deletions, 0), answers: max(before.answers - after.answers, 0),
            assets: max(before.assets - after.assets, 0), zones: max(before.zones - after.zones, 0))
    }

    private static func oldThings(_ storage: MaintainedStorage) throws -> Purged {
        try storage.database.readOnce { connection in
            let snapshot = ZoneSnapshot(connection)
            func count(_ rows: SQLText) throws -> Int {
                try snapshot.one("SELECT count(*) FROM \(rows)") { Int($0.int(0)) } ?? 0
            }
            return Purged(
                deletions: try count("record WHERE deleted = 1"), answers: try count("answer"),
                assets: try count("asset"), zones: try count("zone WHERE state = 3"))
        }
    }
}
