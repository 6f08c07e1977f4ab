import Backstitch

extension SyncController {
    /// - Throws: ``BackstitchError/Code/syncPaused`` while another process syncs the store.
    func requireLead() throws {
        guard driver.status.state != .standby else { throw SyncEngine.standbyError }
    }

    /// Resumes sync after it has stopped because of a ``SyncReset``, with this action instead of the policy's.
    public func resume(taking action: SyncResetAction) {
        services.resets.say(action)
        driver.tell(.paused(false))
    }

    /// Turns sync off. It stays off when the store is opened again. The store is a local one until ``turnOn()``; its
    /// saves are recorded, and sent after that.
    ///
    /// - Throws: ``BackstitchError/Code/syncPaused`` while another process syncs the store
    ///   (``SyncStatus/State/standby``); the store's errors. Sync continues then.
    public func turnOff() async throws {
        try requireLead()
        try await services.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { try $0.set(.off, to: true) }
        }
        driver.tell(.turnedOff(true))
    }

    /// Turns sync on again after ``turnOff()``.
    ///
    /// - Throws: As ``turnOff()``; sync stays off then.
    public func turnOn() async throws {
        try requireLead()
        try await services.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { try $0.remove(.off) }
        }
        driver.tell(.turnedOff(false))
    }

    /// Deletes the store's zones on the server with all their records, and turns sync off. Otherwise this device and
    /// others would fill the zones again. Nothing is deleted here. ``turnOn()`` sends everything again.
    ///
    /// Other devices find that the zones are gone, and follow their ``Backstitch/StoreOption/syncResetPolicy``.
    ///
    /// - Throws: ``BackstitchError/Code/readOnly`` under the option ``Backstitch/StoreOption/syncReadOnly``, and the
    ///   errors of ``turnOff()``; nothing has changed then. Otherwise a ``BackstitchError`` when the server cannot be
    ///   asked; then sync is off, and the call can be repeated.
    public func eraseCloud() async throws {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones(
            "delete zones", else: "leave a share with sync.sharing.leave(zoneNamed:)")
        try await turnOff()
        do {
            for zone in try await services.onWholeStore({ try $0.readJournal { try $0.allZones() } }).reversed() {
                try await services.services(of: zone)?.client.deleteZone()
            }
            try await services.onWholeStore { [settings = services.settings] in
                try $0.forgetZones(settings.model, settings.generation)
            }
        } catch { throw SyncFailure(any: error).error }
        driver.tell(.zoneErased)
    }

    /// Removes all objects from this device and reads them from the server again. It is for a store that is, or may be,
    /// damaged. Nothing is deleted on the server.
    ///
    /// - Parameter discardingUnsent: Whether changes that the server does not have may be lost.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there are such changes and they may not be lost,
    ///   including changes saved while the server is asked; ``BackstitchError/Code/network`` when the server cannot be
    ///   reached now; ``BackstitchError/Code/syncPaused`` while sync is paused, off or in standby. In these cases
    ///   nothing has changed here. Otherwise as ``sync(reason:)``.
    @discardableResult
    public func eraseLocal(discardingUnsent: Bool = false) async throws -> SyncSummary {
        let state = driver.status.state
        guard state != .paused, state != .off, state != .standby else {
            throw BackstitchError(
                .syncPaused,
                "sync is \(state), so nothing could be read again; let it go on, then erase the local objects")
        }
        if !discardingUnsent {
            try await services.onWholeStore { try $0.readJournal { try $0.requireNothingUnsent() } }
        }
        do {
            // Nothing is removed before the server has answered and the connectivity allows it.
            try await services.requireConnection(for: Self.readAgain)
            try await services.client.requireAnswer()
            try await services.wipe(discardingUnsent: discardingUnsent)
        } catch { throw SyncFailure(any: error).error }
        driver.tell(.zoneErased)
        return try await driver.sync(Self.readAgain)
    }

    private static let readAgain: SyncReason = "everything is read again"
}

extension JournalReading {
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there are changes that the server does not have.
    func requireNothingUnsent() throws {
        let counts = try outboxCounts()
        guard counts.waiting + counts.blocked == 0 else {
            throw BackstitchError(
                .invalidRequest,
                "\(counts.waiting + counts.blocked) objects have changes that the server does not have; sync first, or "
                    + "call eraseLocal(discardingUnsent: true) to lose them")
        }
    }
}
