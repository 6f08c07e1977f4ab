public import Backstitch

extension SyncController {
    /// The asset that an attribute with external storage refers to, and the name of its record.
    struct Found: Sendable {
        var reference: AssetReference?
        var recordName: String
        /// Whether transfers of it rest.
        var isPaused = false
    }

    /// Where the bytes of an attribute with external storage are.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such attribute,
    ///   ``BackstitchError/Code/objectNotFound`` when the object is not in the store.
    public func assetState(of id: ObjectID, key: String) async throws -> AssetState {
        guard try await find(id, key).reference != nil else { return .absent }
        return try await services.assetState(of: id, key) ?? .absent
    }

    /// The bytes of an attribute with external storage, from the server where they are not here yet. They stay here,
    /// and live contexts are told that the object has changed.
    ///
    /// Callers that ask for the same bytes at the same time share one download. When the task is cancelled, or the
    /// connection breaks, what has come is kept, and the next download goes on from there, also after a restart.
    ///
    /// ```swift
    /// let film = try await sync.downloadAsset(of: note, key: "film") { bar.value = $0 }
    /// play(film.url)
    /// ```
    /// The bytes go to a file as they come, in a store that keeps files: memory stays the same for any size.
    ///
    /// It goes before downloads in the background: those of assets that come by themselves, and of
    /// ``downloadAssets(_:reason:onProgress:)``, of which no further piece begins until it has come.
    ///
    /// - Parameter onProgress: Told the part that has come, from 0 to 1, rising.
    /// - Throws: ``BackstitchError/Code/syncPaused`` when its transfers rest
    ///   (``pauseAssetTransfer(of:key:)``); ``BackstitchError/Code/asset`` when the attribute is nil, or the server
    ///   does not have the bytes or has others; ``BackstitchError/Code/network`` when it cannot be reached;
    ///   ``BackstitchError/Code/invalidRequest`` and ``BackstitchError/Code/objectNotFound`` as
    ///   ``assetState(of:key:)``.
    @discardableResult
    public func downloadAsset(
        of id: ObjectID, key: String, onProgress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Asset {
        try await download(id, key, isAskedFor: true, onProgress)
    }

    /// - Parameter isAskedFor: Whether it goes before others.
    func download(
        _ id: ObjectID, _ key: String, isAskedFor: Bool, _ onProgress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Asset {
        let found = try await find(id, key)
        guard let reference = found.reference else {
            throw BackstitchError(.asset, "\(id).\(key) is nil; there are no bytes to download", objectID: id, key: key)
        }
        let services = services
        let storage = services.settings.assets
        let asset = Asset(reference, in: storage)
        let isHere = try await services.onStore { store in
            let isHere = storage.contains(reference)
            if isHere { try store.noteUse(of: reference, at: services.clock.milliseconds()) }
            return isHere
        }
        if isHere { return asset }
        if found.isPaused { throw TransferPauses.error(id, key) }
        let watcher = onProgress.map { services.transfers.watch(reference, $0) }
        defer { if let watcher { services.transfers.unwatch(watcher) } }
        do {
            try await services.transfers.expecting([reference]) {
                guard isAskedFor else {
                    return try await services.download(reference, of: id, key: key, found.recordName, nil)
                }
                try await services.turns.asking(for: reference) {
                    try await services.download(reference, of: id, key: key, found.recordName, nil)
                }
            }
            try await services.onStore { try $0.noteUse(of: reference, at: services.clock.milliseconds()) }
            return asset
        } catch let failure as SyncFailure {
            throw failure.error
        }
    }

    /// Cancels a download of an attribute's bytes, for all who wait for it: they get a `CancellationError`. The bytes
    /// so far are kept.
    ///
    /// - Throws: As ``assetState(of:key:)``.
    public func cancelAssetDownload(of id: ObjectID, key: String) async throws {
        if let reference = try await find(id, key).reference { services.downloads.cancel(reference) }
    }

    /// Removes an attribute's bytes from this device; they stay on the server, and come again when they are asked for.
    /// Other objects with the same bytes lose them here too.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the server does not have them yet, or does not get them,
    ///   or they are pinned: for this attribute, or for another one with the same bytes, which the message names; and
    ///   while somebody reads an older state of the store, or saves without a pause; else as ``assetState(of:key:)``.
    /// - Complexity: O(*n*) in the number of the store's assets, since others may have the same bytes.
    public func evictAsset(of id: ObjectID, key: String) async throws {
        guard let reference = try await find(id, key).reference else { return }
        let census = try await services.assetCensus()
        guard let asset = census.assets[reference] else { return }
        let why: String?
        if let need = asset.need {
            why = need.explanation
        } else if let done = try await services.evict([asset], of: census) {
            why = done.kept.first.map { $0.need?.explanation ?? "they are on their way; wait until they have come" }
        } else {
            why = "somebody saves, or reads an older state of the store; try again after that"
        }
        if let why {
            throw BackstitchError(
                .invalidRequest, "the bytes of \(id).\(key) have to stay here: \(why)", objectID: id, key: key)
        }
    }

    func find(_ id: ObjectID, _ key: String) async throws -> Found {
        let model = services.settings.model.model
        let entity = try model.requireEntity(named: id.entityName)
        let property = try entity.requireProperty(named: key)
        guard property.attribute?.allowsExternalStorage == true else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is no binary attribute with external storage", objectID: id,
                key: key)
        }
        return try await services.onStore { store in
            try store.readJournal { journal in
                let rows = try journal.rows(of: entity, keys: [id.key])
                guard rows.count == 1 else {
                    throw BackstitchError(.objectNotFound, "\(id) is not in the store", objectID: id)
                }
                let name = try journal.recordStates(for: [id.key])[id.key]?.foreignName ?? id.key.uuidString
                guard case .asset(let reference) = rows.value(0, property.slot) else { return Found(recordName: name) }
                let isPaused =
                    try journal.has(.transfersPaused)
                    || journal.hasNote(.pausedTransfer, of: AssetPlace(key: id.key, attribute: key))
                return Found(reference: reference, recordName: name, isPaused: isPaused)
            }
        }
    }
}
