import Backstitch

extension SyncEngine {
    /// The state of a running cycle.
    struct Cycle: Sendable {
        enum Phase: Sendable {
            case askingConnectivity, settingUp, forgettingZone, forgettingToken, pulling, pushing, lookingAtZones,
                pullingTogether, settlingMoves, awaitingAssets
        }

        let triggers: Triggers
        /// Whether the previous cycle failed. It may not have read the changes that the server announced.
        let followsFailure: Bool
        /// Whether the program was told of its beginning.
        var isTold = false
        /// The zone that it works in.
        var zone: Int64 = 0
        /// The zones that it still has to work in; nil before they are known.
        var zonesLeft: ArraySlice<ZoneWork>?
        /// The common pull of several of those zones.
        var joint = JointPull()
        /// The number of times that it listed the zones with work, and whether it has dropped a zone since.
        var looks = 0
        var hasDroppedZone = false
        /// Whether objects may be moving from one zone to another, and the number of times that it has continued their
        /// moves.
        var mayMove = false
        var moveRounds = 0
        /// Whether it reads all zones, even those without a notification.
        var readsAll = false
        /// The failure in one of its zones that did not stop the work in the others.
        var setAside: SyncFailure?
        /// The zones with such a failure.
        var zonesAside: Set<Int64> = []
        /// Whether one of those zones is not completely read.
        var leavesUnread = false
        /// Whether it has read any zone to its end.
        var hasPulledAny = false
        /// Whether changes are left to be sent later.
        var isIncomplete = false
        /// Whether it ended a push before the outbox was empty.
        var isCutShort = false
        /// Whether records are left to be encrypted again with a new key.
        var isRotating = false
        /// The wait that the server asks for, in milliseconds.
        var retryAfter: Int64?
        /// The time for other devices to finish their moves, in milliseconds. Notifications and saves do not wait for
        /// it.
        var patience: Int64?

        // The following belong to the present zone.
        var phase = Phase.settingUp
        /// The number of running effects of the phases; assets and the long poll are not counted.
        var outstanding = 0
        var failure: SyncFailure?
        /// The number of retries of the present step.
        var retries = 0
        var pull = Pull()
        var push = Push()
        var hasPulled = false
        var hasPushed = false
        /// Whether to pull once more after the push.
        var pullsAgain = false
        /// The objects whose missing parents were the reason for another pull; nil if there was no such pull.
        var readForParents: Set<ObjectKey>?
        /// The change tags of their parents' records before that pull, by those objects; nil if the server did not have
        /// the parent.
        var tagsOfParents: [ObjectKey: String?] = [:]
        var hasMadeZoneAnew = false
        var hasDroppedToken = false
        /// The zones whose uploads it has started again.
        var zonesUploading: Set<Int64> = []
        /// Whether the server has changes in a further zone that are not here.
        var hasNews = true
        var totals: Totals

        init(_ triggers: Triggers, followsFailure: Bool) {
            self.triggers = triggers
            self.followsFailure = followsFailure
            totals = Totals(reason: triggers.reason)
        }

        var tickets: [Int] { triggers.tickets }
        /// Whether a save is the only reason for the cycle, and the previous one did not fail.
        var isForSave: Bool { isForSaveAlone && !followsFailure }
        /// Whether a save is the only reason for the cycle.
        var isForSaveAlone: Bool { tickets.isEmpty && triggers.reasons == [.localSave] }
    }

    mutating func startCycle(_ triggers: Triggers) {
        beginCycle(Cycle(triggers, followsFailure: lastFailure != nil))
        effects.append(.cancelTimer(.poll))
        guard settings.asksConnectivity else {
            tellStart()
            return setUpOrWork()
        }
        cycle?.phase = .askingConnectivity
        begin(.askConnectivity(triggers.askedReason))
    }

    private mutating func tellStart() {
        guard let cycle, !cycle.isTold else { return }
        self.cycle?.isTold = true
        effects.append(.report(.started(cycle.triggers.reason)))
    }

    mutating func connectivityAsked(_ result: Result<Void, SyncFailure>) {
        // Only the first of several refusals in a row is reported: the others change nothing.
        if case .success = result, lastFailure == .noConnection { (lastFailure, lastError) = (nil, nil) }
        if lastFailure != .noConnection { tellStart() }
        guard succeeded(result) != nil else { return }
        guard cycle?.failure == nil else { return endIfQuiet() }
        setUpOrWork()
    }

    mutating func setUpOrWork() {
        guard let cycle else { return }
        if zone.needs.contains(.account) {
            self.cycle?.phase = .settingUp
            return begin(.checkAccount)
        }
        if zone.needs.contains(.zone) {
            self.cycle?.phase = .settingUp
            return begin(.setUp)
        }
        if settings.isAutomatic, pushListener.state == .off { registerPushListener() }
        // Changes of others are known as long as the server sends notifications, and conflicts are found by the push.
        let mayKnowAll =
            cycle.zone == 0 ? cycle.isForSave && pushListener.tellsOfChanges && !cycle.readsAll : !cycle.hasNews
        let sendsOnly = mayKnowAll && zone.maySendUnread
        if cycle.zone == 0, !settings.hasMainZone { return passMainZone(sendsOnly: sendsOnly) }
        if sendsOnly { startPush() } else { startPull() }
    }

    /// Skips the main zone of a store that has none.
    private mutating func passMainZone(sendsOnly: Bool) {
        if !sendsOnly {
            cycle?.hasPulledAny = true
            zone.pullEnded()
        }
        zoneFinished()
    }

    /// Emits an effect of the running cycle that has a result.
    mutating func begin(_ effect: Effect) {
        guard let zone = cycle?.zone else { return }
        cycle?.outstanding += 1
        effects.append(zone == 0 ? effect : .inZone(zone, effect))
    }

    mutating func accountChecked(_ result: Result<Bool, SyncFailure>) {
        guard let isAnotherZone = succeeded(result) else { return }
        zone.accountChecked()
        if isAnotherZone {
            zonesLost()
            pushListenerIsStale()
        }
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
        forgetUploads(in: cycle?.zone)
        setUpOrWork()
    }

    mutating func tokenForgotten(_ result: Result<Void, SyncFailure>) {
        guard succeeded(result) != nil else { return }
        zone.tokenLost()
        startPull()
    }

    /// Resets the count of retries, because the cycle made progress. A step that only prepares another one is no
    /// progress: otherwise the two could repeat for ever.
    mutating func noteProgress() {
        if cycle?.failure == nil, zone.reading != .unanswered { cycle?.retries = 0 }
    }

    /// Takes a result of the running cycle. Returns its value, or nil after a failure of this step.
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
        if sendArrivals() { return }
        guard let cycle else { return }
        if cycle.hasPulledAny { loadAssets() }
        if let failure = cycle.setAside {
            // All data of the server may be here nevertheless, for example if only the quota for sending is used up.
            if cycle.hasPulledAny, !cycle.leavesUnread { firstSyncEnded() }
            return failCycle(failure)
        }
        if let failure = uploads.takeFailure() { return finishCycle(failing: failure) }
        let mayWait = uploads.isUnderWay || isLoadingAssets && cycle.hasPulledAny
        guard mayWait, waiting.isEmpty, !isPaused else { return finishCycle() }
        self.cycle?.phase = .awaitingAssets
        // An upload may take hours. A server without notifications is polled meanwhile.
        if uploads.isUnderWay, settings.isAutomatic { setPollTimer() }
        effects.append(.report(.progress(cycle.totals.progress(.assets, moreComing: false))))
    }

    /// Ends the cycle, which has done everything possible.
    ///
    /// - Parameter failure: The failure of an upload that changes wait for.
    mutating func finishCycle(failing failure: SyncFailure? = nil) {
        guard let ended = endCycle() else { return }
        fruitlessCycles = ended.isIncomplete && !ended.totals.hasProgress ? fruitlessCycles + 1 : 0
        // A cycle without the suspended uploads does not solve their problem.
        lastError = uploads.problem?.error
        lastFailure = uploads.problem?.kind
        if ended.hasPulledAny { firstSyncEnded() }
        if let failure {
            tellFailure(failure, of: ended)
        } else {
            var summary = ended.totals.summary()
            if var before = failedTotals {
                before.add(summary, isAsked: !ended.tickets.isEmpty)
                summary = before.summary()
                failedTotals = nil
            }
            effects.append(.report(.finished(summary, tickets: uploads.callersAnswered(adding: ended.tickets))))
        }
        if settings.isAutomatic, ended.isIncomplete || ended.isCutShort {
            // Other wanted work does not wait because of these changes.
            let attempt = waiting.isEmpty ? fruitlessCycles : 1
            waiting.reasons.insert(.timer)
            if !ended.isCutShort {
                waitToRetry(atLeast: ended.retryAfter, patience: ended.patience, attempt: attempt)
            }
            endWaitForCallers()
        }
        schedulePoll()
        // The timer is shorter than usual, but it is no wait: a save still begins a cycle at once.
        if ended.isRotating, settings.isAutomatic, !isPaused, cycle == nil {
            effects.append(.setTimer(.poll, at: now + settings.rotationInterval))
        }
        startIfWanted()
    }

    mutating func schedulePoll() {
        guard settings.isAutomatic, !isPaused, cycle == nil else { return }
        setPollTimer()
    }

    private mutating func setPollTimer() {
        var interval = pushListener.tellsOfChanges ? settings.safetyInterval : settings.pollInterval
        // Notifications do not say when an asset or a failed step should be tried again.
        let downloads = assets == .lacking ? fruitlessDownloads : 0
        let cycles = lastFailure == nil ? 0 : fruitlessCycles
        let attempt = max(downloads, cycles, uploads.problem == nil ? 0 : uploads.fruitless)
        if attempt > 0 { interval = min(interval, settings.lookBackOff.delay(attempt: attempt, random: random)) }
        if assets == .lacking, lastFailure == nil, let nextDownload {
            let soonest = settings.lookBackOff.delay(attempt: 1, random: random)
            interval = min(interval, max(nextDownload - now, soonest))
        }
        effects.append(.setTimer(.poll, at: now + interval))
    }
}
