import Backstitch

extension SyncEngine {
    /// A cycle under way.
    struct Cycle: Sendable {
        enum Phase: Sendable {
            case settingUp, forgettingZone, forgettingToken, pulling, pushing, awaitingAssets
        }

        let triggers: Triggers
        var phase = Phase.settingUp
        /// Effects of the phases whose outcome is not known yet; assets and the long poll are not counted.
        var outstanding = 0
        var failure: SyncFailure?
        /// How often the present step was tried again.
        var retries = 0
        var pull = Pull()
        var push = Push()
        var hasPulled = false
        var hasPushed = false
        /// Whether to pull once more after the push.
        var pullsAgain = false
        var hasMadeZoneAnew = false
        var hasDroppedToken = false
        var totals: Totals

        init(_ triggers: Triggers) {
            self.triggers = triggers
            totals = Totals(reason: triggers.reason)
        }

        var tickets: [Int] { triggers.tickets }
        /// Whether nothing but a save asks for the cycle.
        var isForSave: Bool { tickets.isEmpty && triggers.reasons == [.localSave] }
    }

    mutating func startCycle(_ triggers: Triggers) {
        beginCycle(Cycle(triggers))
        effects.append(.cancelTimer(.poll))
        effects.append(.report(.started(triggers.reason)))
        setUpOrWork()
    }

    mutating func setUpOrWork() {
        if zone.needs.contains(.account) {
            cycle?.phase = .settingUp
            return begin(.checkAccount)
        }
        if zone.needs.contains(.zone) {
            cycle?.phase = .settingUp
            return begin(.setUp)
        }
        if settings.isAutomatic, pushListener.state == .off { registerPushListener() }
        // Others' changes are known as long as the server tells of them, and conflicts show themselves.
        if let cycle, cycle.isForSave, pushListener.tellsOfChanges, zone.maySendUnread {
            startPush()
        } else {
            startPull()
        }
    }

    /// Emits an effect of the running cycle that has an outcome.
    mutating func begin(_ effect: Effect) {
        cycle?.outstanding += 1
        effects.append(effect)
    }

    mutating func accountChecked(_ result: Result<Bool, SyncFailure>) {
        guard let isAnotherZone = succeeded(result) else { return }
        zone.accountChecked(isAnotherZone: isAnotherZone)
        if isAnotherZone { pushListenerIsStale() }
        noteProgress()
        setUpOrWork()
    }

    mutating func setUpEnded(_ result: Result<Void, SyncFailure>) {
        guard succeeded(result) != nil else { return }
        zone.setUp()
        noteProgress()
        setUpOrWork()
    }

    mutating func zoneForgotten(_ result: Result<Void, SyncFailure>) {
        guard succeeded(result) != nil else { return }
        zone.zoneLost()
        setUpOrWork()
    }

    mutating func tokenForgotten(_ result: Result<Void, SyncFailure>) {
        guard succeeded(result) != nil else { return }
        zone.tokenLost()
        startPull()
    }

    /// Notes that the cycle got on, so that a later failure is tried again as often as the first. A step that only
    /// prepares another one is no progress: the two would go round for ever.
    mutating func noteProgress() {
        if cycle?.failure == nil, zone.reading != .unanswered { cycle?.retries = 0 }
    }

    /// Takes an outcome of the running cycle: its value, or nil after a failure or where another step has failed
    /// already.
    mutating func succeeded<Value>(_ result: Result<Value, SyncFailure>) -> Value? {
        guard cycle != nil else { return nil }
        cycle?.outstanding -= 1
        switch result {
        case .failure(let failure):
            fail(failure)
            return nil
        case .success(let value): return value
        }
    }

    mutating func finishWork() {
        guard let cycle else { return }
        if cycle.hasPulled { loadAssets() }
        guard isLoadingAssets, cycle.hasPulled, waiting.isEmpty, !isPaused else { return finishCycle() }
        self.cycle?.phase = .awaitingAssets
        effects.append(.report(.progress(cycle.totals.progress(.assets, moreComing: false))))
    }

    mutating func finishCycle() {
        guard let ended = endCycle() else { return }
        failedCycles = 0
        lastError = nil
        lastFailure = nil
        if ended.hasPulled { zone.firstSyncEnded() }
        var summary = ended.totals.summary()
        if var before = failedTotals {
            before.add(summary, isAsked: !ended.tickets.isEmpty)
            summary = before.summary()
            failedTotals = nil
        }
        effects.append(.report(.finished(summary, tickets: ended.tickets)))
        if settings.isAutomatic, !ended.push.deferred.isEmpty || ended.push.isCutShort {
            waiting.reasons.insert(.timer)
            if !ended.push.isCutShort { waitToRetry(atLeast: ended.push.retryAfter, attempt: 1) }
        }
        schedulePoll()
        startIfWanted()
    }

    mutating func schedulePoll() {
        guard settings.isAutomatic, !isPaused, cycle == nil else { return }
        let interval = pushListener.tellsOfChanges ? settings.safetyInterval : settings.pollInterval
        effects.append(.setTimer(.poll, at: now + interval))
    }
}
