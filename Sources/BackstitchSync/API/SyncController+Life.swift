import Backstitch

extension SyncController {
    /// - Throws: ``BackstitchError/Code/syncPaused`` where another process syncs the store.
    func requireLead() throws {
        guard driver.status.state != .standby else { throw SyncEngine.standbyError }
    }

    /// Lets sync go on after it has stopped because of a ``SyncReset``, with this answer in place of the policy's.
    public func resume(taking action: SyncResetAction) {
        services.resets.say(action)
        driver.tell(.paused(false))
    }

    /// Turns sync off, also for the next time that the store is opened. The store is a local one until ``turnOn()``;
    /// what is saved meanwhile is noted, and sent then.
    ///
    /// - Throws: ``BackstitchError/Code/syncPaused`` while another process syncs the store
    ///   (``SyncStatus/State/standby``); the store's errors. Sync goes on then.
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

    /// Deletes the store's zones with everything that the server has, and turns sync off: otherwise this device and
    /// others would fill them again. Nothing is deleted here. ``turnOn()`` sends everything anew.
    ///
    /// Other devices find the zones gone, and go by their ``Backstitch/StoreOption/syncResetPolicy``.
    ///
    /// - Throws: ``BackstitchError/Code/readOnly`` under the option ``Backstitch/StoreOption/syncReadOnly``; nothing
    ///   has changed then; nor has it where ``turnOff()`` throws. Else a ``BackstitchError`` when the server cannot be
    ///   asked; sync is off then, and the call can be repeated.
    public func eraseCloud() async throws {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones("delete zones", else: "leave a share with leaveShare(ofZoneNamed:)")
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

    /// Removes everything that is here, and reads it from the server again: for a store that is damaged or suspected of
    /// it. Nothing is deleted on the server.
    ///
    /// - Parameter discardingUnsent: Whether changes that the server does not have may be lost.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there are such changes and they may not be lost, those
    ///   that are saved while the server is asked included; ``BackstitchError/Code/network`` when the server cannot be
    ///   reached now; ``BackstitchError/Code/syncPaused`` while it does not sync. In these cases everything is here as
    ///   it was. Else as ``sync(reason:)``.
    @discardableResult
    public func eraseLocal(discardingUnsent: Bool = false) async throws -> SyncSummary {
        let state = driver.status.state
        guard state != .paused, state != .off, state != .standby else {
            throw BackstitchError(
                .syncPaused, "sync is \(state), so nothing could be read again; let it go on, then erase what is here")
        }
        if !discardingUnsent {
            try await services.onWholeStore { try $0.readJournal { try $0.requireNothingUnsent() } }
        }
        do {
            // Not before it is known that the server is there to read from, and may be asked.
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
