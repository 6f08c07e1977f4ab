import Backstitch
import BackstitchSupport

extension SyncAssets {
    /// Returns the assets on the server only: those downloaded on request, the evicted ones, and those that have not
    /// arrived yet.
    ///
    /// - Parameter entityName: The entity whose objects, including those of its subentities, are examined; nil for all.
    /// - Returns: The assets in order of their objects' keys, then of their attributes.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the model has no such entity; the store's errors.
    /// - Complexity: O(*n*) in the number of objects of entities with assets, with one look at the file system for
    ///   each.
    public func remote(of entityName: String? = nil) async throws -> [RemoteAsset] {
        let wanted = try entityName.map { try services.settings.model.model.requireEntity(named: $0) }
        return try await services.onWholeStore { [settings = services.settings] store in
            try store.readJournal { try $0.remoteAssets(of: wanted, settings) }
        }
    }

    /// Downloads several assets, a few at a time. A failed download does not stop the others.
    ///
    /// ```swift
    /// let photos = try await sync.assets.remote(of: "Photo")
    /// let done = try await sync.assets.download(photos, reason: "all photos, over Wi-Fi") { bar.value = $0.size }
    /// for failure in done.failures { print(failure.asset.objectID, failure.error.message) }
    /// ```
    /// The option ``Backstitch/StoreOption/syncConnectivity`` is asked before each download; a refused one is among the
    /// failures. When the task is cancelled or the program ends, finished assets stay, and parts of others are kept for
    /// the next time.
    ///
    /// - Parameter reason: The reason that the ``SyncConnectivity`` receives.
    /// - Parameter onProgress: Receives the progress after each asset.
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    public func download(
        _ assets: [RemoteAsset], reason: SyncReason = "assets were asked for",
        onProgress: (@Sendable (AssetDownloads) -> Void)? = nil
    ) async throws -> AssetDownloads {
        let progress = Locked(
            AssetDownloads(totalCount: assets.count, totalSize: assets.reduce(0) { $0 + $1.size }))
        let references = try await references(of: assets)
        try await services.transfers.expecting(references) {
            _ = try await services.inParallel(assets.count) { [self] index in
                let error = try await failure(of: assets[index], reason)
                progress.withLock { progress in
                    progress.note(assets[index], error)
                    // This is done inside the lock, so that no older value is reported after a newer one.
                    onProgress?(progress)
                }
            }
        }
        return progress.withLock { $0 }
    }

    /// Returns the references of the given assets whose bytes are not here, for the totals of progress.
    private func references(of assets: [RemoteAsset]) async throws -> [AssetReference] {
        try await services.onWholeStore { [settings = services.settings] store in
            try store.readJournal { journal in
                var references: [AssetReference] = []
                for (name, assets) in Dictionary(grouping: assets, by: \.objectID.entityName) {
                    guard let entity = settings.model.entity(named: name) else { continue }
                    let wanted = Set(assets.map { AssetPlace(key: $0.objectID.key, attribute: $0.key) })
                    for keys in Array(Set(assets.map(\.objectID.key))).parts(of: 1_000) {
                        let rows = try journal.rows(of: entity.entity, keys: Array(keys))
                        let presence = AssetPresence(of: rows, entity.assetColumns, in: settings.assets)
                        for row in 0..<rows.count {
                            for column in entity.assetColumns
                            where wanted.contains(AssetPlace(key: rows.keys[row], attribute: column.name)) {
                                guard case .asset(let reference) = rows.value(row, column.slot),
                                    !presence.contains(reference)
                                else { continue }
                                references.append(reference)
                            }
                        }
                    }
                }
                return references
            }
        }
    }

    /// Downloads one asset for ``download(_:reason:onProgress:)``.
    ///
    /// - Returns: The error of the download; nil if it succeeded.
    private func failure(of asset: RemoteAsset, _ reason: SyncReason) async throws -> BackstitchError? {
        do {
            try await services.requireConnection(for: reason)
            _ = try await download(asset.objectID, asset.key, isAskedFor: false)
            return nil
        } catch let failure as SyncFailure {
            return failure.error
        } catch let error as BackstitchError {
            return error
        } catch is CancellationError where !Task.isCancelled {
            return BackstitchError(
                .cancelled, "the download of \(asset.objectID).\(asset.key) was cancelled", objectID: asset.objectID,
                key: asset.key)
        }
    }
}

extension AssetDownloads {
    fileprivate mutating func note(_ asset: RemoteAsset, _ error: BackstitchError?) {
        if let error {
            failures.append(Failure(asset: asset, error: error))
        } else {
            count += 1
            size += asset.size
        }
    }
}

extension JournalReading {
    fileprivate func remoteAssets(of wanted: ResolvedEntity?, _ settings: ApplySettings) throws -> [RemoteAsset] {
        var found: [RemoteAsset] = []
        for entity in settings.model.heldEntities where !entity.assetColumns.isEmpty {
            if let wanted, wanted.name != entity.entity.name, !entity.entity.lineage.contains(wanted.name) { continue }
            for keys in try ownKeys(of: entity.entity).parts(of: 1_000) {
                let rows = try rows(of: entity.entity, keys: Array(keys)), states = try recordStates(for: Array(keys))
                let presence = AssetPresence(of: rows, entity.assetColumns, in: settings.assets)
                for row in 0..<rows.count where states[rows.keys[row]]?.changeTag != nil {
                    found += entity.remoteAssets(of: rows, at: row, presence)
                }
            }
        }
        return found.sorted { ($0.objectID, $0.key) < ($1.objectID, $1.key) }
    }
}

extension SyncedEntity {
    /// Returns the assets of an object whose bytes are not here.
    ///
    /// - Parameter presence: The assets of the rows whose bytes are here.
    func remoteAssets(of rows: RowBatch, at row: Int, _ presence: AssetPresence) -> [RemoteAsset] {
        assetColumns.compactMap { column in
            guard case .asset(let reference) = rows.value(row, column.slot), !presence.contains(reference) else {
                return nil
            }
            return RemoteAsset(objectID: rows.objectID(at: row), key: column.name, size: reference.size)
        }
    }
}
