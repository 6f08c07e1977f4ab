import Backstitch
import BackstitchSupport
import Logging

extension AssetOperations {
    /// The rows examined in one transaction.
    private static let rows = 500
    /// The pieces of content removed together. Uploads of the same content wait meanwhile.
    private static let atOnce = 32

    /// Removes assets that no record uses, and content without a row.
    func collect() async throws {
        try await turns.collect {
            guard try await endRemovals() else { return }
            repeat { try Task.checkCancellation() } while try await removeUnusedAssets()
            let now = server.clock.milliseconds()
            guard contents.beginsSweep(at: server.clock.uptime()) else { return }
            do {
                try await contents.sweep(at: now) { names in
                    for part in names.parts(of: Self.atOnce) {
                        try Task.checkCancellation()
                        do { try await removeStrays(Array(part)) } catch let error as AssetStoreFailure
                            where !error.mayPass
                        {
                            server.configuration.logger.warning("content without a record was not removed: \(error)")
                        }
                    }
                }
            } catch let error as AssetStoreFailure {
                server.configuration.logger.warning(
                    "the store of assets could not be searched for unused content, will be tried again: \(error)")
            }
        }
    }

    /// Ends removals that were begun and not finished; false if the store can remove nothing now.
    private func endRemovals() async throws -> Bool {
        guard server.storage.isShared else { return true }
        let turn = RemovalTurn(server: server.number, begun: server.clock.milliseconds())
        let names = try await server.storage.read { try $0.unendedRemovals(for: turn, limit: Self.rows) }
        do { try await removeStrays(names) } catch let error as AssetStoreFailure {
            server.configuration.logger.warning("unused assets could not be removed, will be tried again: \(error)")
            return !error.mayPass
        }
        return true
    }

    /// Removes a piece of the unused assets; false if none is left, or if their content cannot be removed now.
    private func removeUnusedAssets() async throws -> Bool {
        let time = server.clock.milliseconds() - Int64(server.configuration.uploadRetention) * 1000
        let (gone, mayBeMore) = try await server.storage.write(frees: true) { writing in
            try writing.removeUnusedAssets(uploadedBefore: time, limit: Self.rows)
        }
        do {
            // After the commit, so no row is left without its content.
            try await removeStrays(gone.map { AssetName(tenantID: $0.tenantID, checksum: $0.checksum) })
            return mayBeMore
        } catch let error as AssetStoreFailure {
            server.configuration.logger.warning("unused assets could not be removed, will be tried again: \(error)")
            return false
        }
    }

    /// Removes the content without a row among these names. A row that has just appeared counts.
    ///
    /// If the store refuses to remove some content, the rest is removed anyway.
    private func removeStrays(_ names: [AssetName]) async throws {
        var refusal: AssetStoreFailure?
        for part in names.parts(of: Self.atOnce) {
            do { try await removeStrays(part: Array(part)) } catch let error as AssetStoreFailure
                where !error.mayPass
            {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
    }

    /// Removes one part of the names, in a turn of its own.
    private func removeStrays(part: [AssetName]) async throws {
        try await turns.take(part) {
            let strays = try await server.storage.read { reading in
                try part.filter { try reading.asset(tenantID: $0.tenantID, checksum: $0.checksum) == nil }
            }
            guard !strays.isEmpty else { return }
            guard server.storage.isShared else { return try await remove(strays) }
            // A task of its own is not cancelled with the server. A leftover note would delay the same content on other
            // servers.
            try await Task { try await remove(strays) }.value
        }
    }

    /// Removes content without a row, unless another server is removing or receiving it; see ``AssetTurns``.
    private func remove(_ names: [AssetName]) async throws {
        let turn = RemovalTurn(server: server.number, begun: server.clock.milliseconds())
        let ours =
            server.storage.isShared
            ? try await server.storage.write(frees: true) { try $0.beginRemoval(of: names, by: turn) } : names
        do { try await contents.remove(ours) } catch let error as SystemError {
            // The next start removes files without rows. If several servers share the storage, this server ends the
            // removal later.
            server.configuration.logger.warning("an unused asset was not removed: \(error)")
            return
        }
        if server.storage.isShared {
            try await server.storage.write(frees: true) { try $0.endRemoval(of: ours, by: turn) }
        }
    }
}
