import BackstitchSQL
import BackstitchSupport
import Foundation

extension StorageMaintenance {
    /// Moves the storage to another place: a folder without a storage, or a schema unused by any server. Everything
    /// moves, also the secret and the history. So tokens, change tags, addresses of assets and upload receipts stay
    /// valid. Devices notice nothing but the pause.
    ///
    /// This is a move, not a copy for a trial. Two servers with one history would give the same tags to different
    /// records. Never serve the old place again; for a trial, restore a backup.
    ///
    /// A folder's server must be stopped, and is kept out meanwhile. The servers of a database must be stopped too. If
    /// one has written during the move, the move fails, and the new place stays empty.
    ///
    /// - Returns: The number of moved rows of each table.
    /// - Throws: ``ZoneServerError`` if there is no storage or a server has it, if the new place has one, or if the
    ///   content of an asset is missing or damaged.
    public func copy(to other: StorageMaintenance) async throws -> [String: Int] {
        let configuration = configuration, target = other.configuration
        guard configuration.assets.isFolder == target.assets.isFolder else {
            throw ZoneServerError(
                .invalidConfiguration,
                "assets stay in a folder, or in the same bucket, when records move; Documentation/Server.md says how to move them to a bucket"
            )
        }
        return try await BlockingWork.run {
            let lock = try Self.keepServersOut(of: configuration)
            defer { lock?.release() }
            let source = try MaintainedStorage.openForReading(configuration)
            do {
                let moved = try Self.move(source, to: target)
                try source.close()
                return moved
            } catch {
                try? source.close()
                throw Self.explained(error, source.name)
            }
        }
    }

    private static func keepServersOut(of configuration: ZoneServerConfiguration) throws -> FileLock? {
        guard case .directory(let folder) = configuration.storage else { return nil }
        _ = try StorageDirectory.existingFile(in: folder)
        return try FileLock.ofStorage(folder)
    }

    private static func move(
        _ source: MaintainedStorage, to configuration: ZoneServerConfiguration
    ) throws -> [String: Int] {
        let target = try MaintainedStorage.openEmpty(configuration)
        do {
            // Content first: content without rows is only waste, but rows without content are a loss.
            if let from = source.assets, let to = target.assets {
                var copy = AssetCopy(from: from, to: to)
                try copy.copy(usedAssets(source))
                try copy.requireAll()
            }
            let before = try heads(source)
            let moved = try carry(source, to: target) { try heads(source) == before }
            if let life = try target.database.read(isSnapshot: false, { try ZoneSnapshot($0).life() }) {
                try target.directory?.witness.write(life)
            }
            try target.close()
            return moved
        } catch {
            try? target.close()
            throw error
        }
    }

    /// Numbers changed by any push: the heads of all zones, and the counts of zones, answers and subscriptions.
    private static func heads(_ storage: MaintainedStorage) throws -> [Int64] {
        try storage.database.readOnce { connection in
            try ZoneSnapshot(connection).one(
                """
                SELECT (SELECT CAST(coalesce(sum(head), 0) AS bigint) FROM zone), (SELECT count(*) FROM zone),
                    (SELECT count(*) FROM answer), (SELECT count(*) FROM subscription)
                """
            ) { row in (0..<4).map { row.int($0) } } ?? []
        }
    }
}
