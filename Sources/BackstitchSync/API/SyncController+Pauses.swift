public import Backstitch

// Transfers of assets that the program lets rest. The store remembers it; sync of records goes on meanwhile.
extension SyncController {
    /// Lets the bytes of an attribute rest: none are downloaded or uploaded until
    /// ``resumeAssetTransfer(of:key:)``, also after a restart. A transfer that is under way ends; what has come, or
    /// what the server has of a large upload, is kept.
    ///
    /// Records go on. One whose asset is to be uploaded stays unsent: its change is set aside with that as its reason
    /// (``SyncObjectState/Phase/blocked(_:reason:)``), and is sent when transfers go on. Who asks for a download
    /// meanwhile gets ``BackstitchError/Code/syncPaused``, as does one who waits for it.
    ///
    /// - Throws: As ``assetState(of:key:)``; the store's errors. Nothing is paused then.
    public func pauseAssetTransfer(of id: ObjectID, key: String) async throws {
        let reference = try await find(id, key).reference
        let place = AssetPlace(key: id.key, attribute: key)
        try await note { try $0.setNote(.pausedTransfer, of: place, to: true) }
        services.stops.pause(place)
        if let reference { services.downloads.interrupt(reference) }
        services.bell.ring()
    }

    /// Lets the bytes of an attribute go again, and begins a cycle. While all transfers rest
    /// (``pauseAssetTransfers()``) they wait for those.
    ///
    /// - Throws: As ``assetState(of:key:)``; the store's errors.
    public func resumeAssetTransfer(of id: ObjectID, key: String) async throws {
        _ = try await find(id, key)
        let place = AssetPlace(key: id.key, attribute: key)
        try await note { journal in
            try journal.removeNote(.pausedTransfer, of: place)
            try journal.unblock(.heldUpload)
        }
        services.stops.resume(place)
        goOn()
    }

    /// Lets the bytes of all assets rest, as ``pauseAssetTransfer(of:key:)`` those of one, until
    /// ``resumeAssetTransfers()``.
    ///
    /// ```swift
    /// try await sync.pauseAssetTransfers()        // on mobile data: records only
    /// ```
    ///
    /// - Throws: The store's errors. Nothing is paused then.
    public func pauseAssetTransfers() async throws {
        try await note { try $0.set(.transfersPaused, to: true) }
        services.stops.pause(nil)
        services.downloads.interrupt(nil)
        services.bell.ring()
    }

    /// Lets the bytes of assets go again, but for those that were paused for themselves, and begins a cycle.
    ///
    /// - Throws: The store's errors.
    public func resumeAssetTransfers() async throws {
        try await note { journal in
            try journal.remove(.transfersPaused)
            try journal.unblock(.heldUpload)
        }
        services.stops.resume(nil)
        goOn()
    }

    /// Whether all transfers of assets rest; see ``pauseAssetTransfers()``.
    public var areAssetTransfersPaused: Bool {
        get async throws { try await services.onWholeStore { try $0.readJournal { try $0.has(.transfersPaused) } } }
    }

    /// Whether the bytes of an attribute rest, for itself or with all others.
    ///
    /// - Throws: As ``assetState(of:key:)``.
    public func isAssetTransferPaused(of id: ObjectID, key: String) async throws -> Bool {
        try await find(id, key).isPaused
    }

    /// Stops the upload of an attribute's bytes, if one is under way. The change that has them is set aside with that
    /// as its reason, until ``retryBlocked(_:)`` or the next save of the object sends it again. Other changes go on,
    /// and so does the upload for other objects with the same bytes.
    ///
    /// - Throws: As ``assetState(of:key:)``.
    public func cancelAssetUpload(of id: ObjectID, key: String) async throws {
        _ = try await find(id, key)
        services.stops.cancel(AssetPlace(key: id.key, attribute: key))
    }

    private func note(_ body: @escaping @Sendable (any JournalWriting) throws -> Void) async throws {
        try await services.onWholeStore { store in try store.writeJournal(author: SyncAuthor.name, body) }
    }

    private func goOn() {
        services.bell.ring()
        driver.tell(.trigger("transfers of assets go on", ticket: nil))
    }
}
