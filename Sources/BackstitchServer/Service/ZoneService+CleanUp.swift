import Logging

extension ZoneService {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour

    /// Removes what has become too old: assets that no record uses, answers to idempotency keys, deleted records, and push
    /// tokens that nobody has polled for 30 days.
    func cleanUp() async throws {
        let now = clock.now()
        let assets = storage.assets
        let logger = configuration.logger
        hub.forget(unusedSince: now - Self.hour)
        let used = hub.takeUsed(interval: Self.day)
        try await storage.write { [configuration] writing in
            try writing.touchPushTokens(used, seen: now)
            try writing.removePushTokens(unseenSince: now - 30 * Self.day)
            try writing.removeAnswers(createdBefore: now - Int64(configuration.idempotencyRetention) * 1000)
            let gone = try writing.removeUnusedAssets(
                uploadedBefore: now - Int64(configuration.uploadRetention) * 1000, limit: 1000)
            // After the commit, so that no row is left without its file; before any other write, so that an upload
            // of the same content finds its own file untouched.
            writing.afterCommit {
                for asset in gone {
                    do {
                        try assets.remove(tenantID: asset.tenantID, asset.checksum)
                    } catch {
                        // The next start removes files without rows.
                        logger.warning("an unused asset was not removed: \(error)")
                    }
                }
            }
        }
        try await removeTombstones()
    }

    /// Piece by piece, so that nobody waits long for the one writer.
    private func removeTombstones() async throws {
        let time = clock.now() - Int64(configuration.tombstoneRetention) * 1000
        var removed = Self.piece
        while removed == Self.piece {
            removed = try await storage.write { try $0.removeTombstones(deletedBefore: time, limit: Self.piece) }
        }
    }

    private static let piece = 1000
}
