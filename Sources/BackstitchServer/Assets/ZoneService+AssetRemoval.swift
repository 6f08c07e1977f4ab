import Backstitch
import BackstitchSupport
import Logging

extension ZoneService {
    /// Rows that one transaction looks at.
    private static let rows = 500
    /// Pieces of content that are removed at a time, while uploads of the same content wait.
    private static let contents = 32

    /// Removes assets that no record uses, and content that has no row.
    func collectAssets() async throws {
        try await turns.collect {
            guard try await endRemovals() else { return }
            repeat { try Task.checkCancellation() } while try await removeUnusedAssets()
            let now = clock.milliseconds()
            guard assets.beginsSweep(at: clock.uptime()) else { return }
            do {
                try await assets.sweep(at: now) { names in
                    for part in names.parts(of: Self.contents) {
                        try Task.checkCancellation()
                        do { try await removeStrays(Array(part)) } catch let error as AssetStoreFailure
                            where !error.mayPass
                        {
                            configuration.logger.warning("content without a record was not removed: \(error)")
                        }
                    }
                }
            } catch let error as AssetStoreFailure {
                configuration.logger.warning("the store of assets was not looked through, will be later: \(error)")
            }
        }
    }

    /// Removes content whose removal was begun and not ended; false when the store can remove nothing now.
    private func endRemovals() async throws -> Bool {
        guard storage.isShared else { return true }
        let turn = RemovalTurn(server: server, begun: clock.milliseconds())
        let names = try await storage.read { try $0.unendedRemovals(for: turn, limit: Self.rows) }
        do { try await removeStrays(names) } catch let error as AssetStoreFailure {
            configuration.logger.warning("unused assets were not removed, will be later: \(error)")
            return !error.mayPass
        }
        return true
    }

    /// Removes a piece of the assets that no record uses; false when none is left, or their content cannot be removed
    /// now.
    private func removeUnusedAssets() async throws -> Bool {
        let time = clock.milliseconds() - Int64(configuration.uploadRetention) * 1000
        let (gone, mayBeMore) = try await storage.write { writing in
            try writing.removeUnusedAssets(uploadedBefore: time, limit: Self.rows)
        }
        do {
            // After the commit, so that no row is left without its content.
            try await removeStrays(gone.map { AssetName(tenantID: $0.tenantID, checksum: $0.checksum) })
            return mayBeMore
        } catch let error as AssetStoreFailure {
            configuration.logger.warning("unused assets were not removed, will be later: \(error)")
            return false
        }
    }

    /// Removes those of the names that have no row, not even one that came just now. Content that the store refuses to
    /// remove keeps no other.
    private func removeStrays(_ names: [AssetName]) async throws {
        var refusal: AssetStoreFailure?
        for part in names.parts(of: Self.contents) {
            do { try await removeStrays(part: Array(part)) } catch let error as AssetStoreFailure
                where !error.mayPass
            {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
    }

    private func removeStrays(part: [AssetName]) async throws {
        try await turns.take(part) {
            let strays = try await storage.read { reading in
                try part.filter { try reading.asset(tenantID: $0.tenantID, checksum: $0.checksum) == nil }
            }
            guard !strays.isEmpty else { return }
            guard storage.isShared else { return try await remove(strays) }
            // Not cut off when the server ends: a note that is left keeps that content waiting elsewhere.
            try await Task { try await remove(strays) }.value
        }
    }

    /// Removes content without a row, as far as no other server does or receives it just now; see ``AssetTurns``.
    private func remove(_ names: [AssetName]) async throws {
        let turn = RemovalTurn(server: server, begun: clock.milliseconds())
        let ours = storage.isShared ? try await storage.write { try $0.beginRemoval(of: names, by: turn) } : names
        do { try await assets.remove(ours) } catch let error as SystemError {
            // The next start removes files without rows; of several servers the one that has begun it.
            configuration.logger.warning("an unused asset was not removed: \(error)")
            return
        }
        if storage.isShared { try await storage.write { try $0.endRemoval(of: ours, by: turn) } }
    }
}
