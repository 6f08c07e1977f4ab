public import Backstitch

/// The assets of a store: the bytes of attributes with external storage, on this device and on the server.
///
/// An attribute's bytes are named by its key and its object.
///
/// ```swift
/// let film = try await sync.assets.download("film", of: note)
/// try await sync.assets.evict(keeping: AssetAllowance(maximumSize: 200 << 20))
/// ```
public struct SyncAssets: Sendable, SyncSubject {
    let sync: SyncController

    /// The asset of an attribute with external storage, and the name of its record.
    struct Found: Sendable {
        var reference: AssetReference?
        var recordName: String
        /// Whether its transfers are paused.
        var isPaused = false
    }

    /// Returns the place and transfer state of the bytes of an attribute with external storage.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such attribute,
    ///   ``BackstitchError/Code/objectNotFound`` when the object is not in the store.
    public func state(_ key: String, of id: ObjectID) async throws -> AssetState {
        guard try await find(id, key).reference != nil else { return .absent }
        return try await services.assetState(of: id, key) ?? .absent
    }

    /// Returns the bytes of an attribute with external storage, and downloads them if they are not here yet. They stay
    /// here, and live contexts are told that the object has changed.
    ///
    /// Callers that ask for the same bytes at the same time share one download. When the task is cancelled, or the
    /// connection breaks, the received bytes are kept. The next download continues from there, even after a restart.
    ///
    /// ```swift
    /// let film = try await sync.assets.download("film", of: note) { bar.value = $0 }
    /// play(film.url)
    /// ```
    /// In a store with files, the received bytes are written to a file, so memory use does not depend on the size.
    ///
    /// The download has priority over background downloads: automatic ones, and those of
    /// ``download(_:reason:onProgress:)``. Those begin no further piece until it has ended.
    ///
    /// - Parameter onProgress: Receives the finished part, from 0 to 1, rising.
    /// - Throws: ``BackstitchError/Code/syncPaused`` when its transfers are paused (``pause(_:of:)``);
    ///   ``BackstitchError/Code/asset`` when the attribute is nil, or the server lacks the bytes or has others;
    ///   ``BackstitchError/Code/network`` when the server cannot be reached; ``BackstitchError/Code/invalidRequest``
    ///   and ``BackstitchError/Code/objectNotFound`` as ``state(_:of:)``.
    @discardableResult
    public func download(
        _ key: String, of id: ObjectID, onProgress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Asset {
        try await download(id, key, isAskedFor: true, onProgress)
    }

    /// - Parameter isAskedFor: Whether it has priority over other downloads.
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

    /// Cancels a download of an attribute's bytes for every caller that waits for it. Each gets a `CancellationError`.
    /// The bytes received so far are kept.
    ///
    /// - Throws: As ``state(_:of:)``.
    public func cancelDownload(_ key: String, of id: ObjectID) async throws {
        if let reference = try await find(id, key).reference { services.downloads.cancel(reference) }
    }

    /// Removes an attribute's bytes from this device. They stay on the server, and are downloaded again on request.
    /// Other objects with the same bytes lose them here too.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the server does not have the bytes yet or never gets
    ///   them. Also when they are pinned, for this attribute or for another one with the same bytes; the message names
    ///   it. The same error is thrown while an older state of the store is being read, or while saves follow each other
    ///   without a pause. Otherwise as ``state(_:of:)``.
    /// - Complexity: O(*n*) in the number of the store's assets, because others may have the same bytes.
    public func evict(_ key: String, of id: ObjectID) async throws {
        guard let reference = try await find(id, key).reference else { return }
        let census = try await services.assetCensus()
        guard let asset = census.assets[reference] else { return }
        let why: String?
        if let need = asset.need {
            why = need.explanation
        } else if let done = try await services.evict([asset], of: census) {
            why = done.kept.first.map {
                $0.need?.explanation ?? "they are being transferred; wait until the transfer has ended"
            }
        } else {
            why = "a save is running, or an older state of the store is being read; try again after that"
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
                .invalidRequest, "\(entity.name).\(key) is not a binary attribute with external storage", objectID: id,
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
