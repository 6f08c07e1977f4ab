public import Backstitch

// Transfers of assets that the program has paused. The store remembers this; records are still synced.
extension SyncAssets {
    /// Pauses the transfers of an attribute's bytes: no download or upload until ``resume(_:of:)``, even
    /// after a restart. A running transfer ends. The received bytes, or the uploaded pieces of a large asset, are kept.
    ///
    /// Records are still synced. A record with an asset to upload stays unsent. Its change is blocked with that reason
    /// (``SyncObjectState/Phase/blocked(_:reason:)``), and is sent when transfers are resumed. A download that is
    /// waiting or requested meanwhile throws ``BackstitchError/Code/syncPaused``.
    ///
    /// - Throws: As ``state(_:of:)``; the store's errors. Nothing is paused then.
    public func pause(_ key: String, of id: ObjectID) async throws {
        let reference = try await find(id, key).reference
        let place = AssetPlace(key: id.key, attribute: key)
        try await note { try $0.setNote(.pausedTransfer, of: place, to: true) }
        services.stops.pause(place)
        if let reference { services.downloads.interrupt(reference) }
        services.bell.ring()
    }

    /// Resumes the transfers of an attribute's bytes, and begins a cycle. If all transfers are paused
    /// (``pause()``), they wait until those are resumed.
    ///
    /// - Throws: As ``state(_:of:)``; the store's errors.
    public func resume(_ key: String, of id: ObjectID) async throws {
        _ = try await find(id, key)
        let place = AssetPlace(key: id.key, attribute: key)
        try await note { journal in
            try journal.removeNote(.pausedTransfer, of: place)
            try journal.unblock(.heldUpload)
        }
        services.stops.resume(place)
        goOn()
    }

    /// Pauses the transfers of all assets until ``resume()``, as ``pause(_:of:)`` does for
    /// one.
    ///
    /// ```swift
    /// try await sync.assets.pause()        // on mobile data: records only
    /// ```
    ///
    /// - Throws: The store's errors. Nothing is paused then.
    public func pause() async throws {
        try await note { try $0.set(.transfersPaused, to: true) }
        services.stops.pause(nil)
        services.downloads.interrupt(nil)
        services.bell.ring()
    }

    /// Resumes the transfers of all assets, except those paused individually, and begins a cycle.
    ///
    /// - Throws: The errors of the store.
    public func resume() async throws {
        try await note { journal in
            try journal.remove(.transfersPaused)
            try journal.unblock(.heldUpload)
        }
        services.stops.resume(nil)
        goOn()
    }

    /// Whether all transfers of assets are paused; see ``pause()``.
    public var isPaused: Bool {
        get async throws { try await services.onWholeStore { try $0.readJournal { try $0.has(.transfersPaused) } } }
    }

    /// Returns whether the transfers of an attribute's bytes are paused, individually or with all others.
    ///
    /// - Throws: As ``state(_:of:)``.
    public func isPaused(_ key: String, of id: ObjectID) async throws -> Bool {
        try await find(id, key).isPaused
    }

    /// Stops the upload of an attribute's bytes, if one is running. Its change is blocked with that reason, until
    /// ``SyncBlocked/retry(_:)`` or the next save of the object sends it again. Other changes are still sent, and so
    /// are uploads of the same bytes for other objects.
    ///
    /// - Throws: As ``state(_:of:)``.
    public func cancelUpload(_ key: String, of id: ObjectID) async throws {
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
