import Backstitch

extension SyncEngine {
    /// A cycle under way.
    struct Cycle: Sendable {
        enum Phase: Sendable {
            case askingConnectivity, settingUp, forgettingZone, forgettingToken, pulling, pushing, lookingAtZones,
                pullingTogether, settlingMoves, awaitingAssets
        }

        let triggers: Triggers
        /// Whether the cycle before it has failed, perhaps before it had read what the server had told of.
        let followsFailure: Bool
        /// Whether the program was told that it begins.
        var isTold = false
        /// The zone in which it works.
        var zone: Int64 = 0
        /// The zones that it has still to work in; nil before it knows.
        var zonesLeft: ArraySlice<ZoneWork>?
        /// The pull of those of them that are read together.
        var joint = JointPull()
        /// How often it has found out which zones those are, and whether it has dropped one since.
        var looks = 0
        var hasDroppedZone = false
        /// Whether objects may be on their way from one zone to another, and how often it has gone on with them.
        var mayMove = false
        var moveRounds = 0
        /// Whether it reads all zones, whatever the server tells of by itself.
        var readsAll = false
        /// Why it could not work in one of its zones, which has not kept it from the others.
        var setAside: SyncFailure?
        /// Those zones.
        var zonesAside: Set<Int64> = []
        /// Whether one of those zones is not here as a whole.
        var leavesUnread = false
        /// Whether it has read any zone to its end.
        var hasPulledAny = false
        /// Whether changes are left that are to be sent later.
        var isIncomplete = false
        /// Whether it ended a push before the outbox was empty.
        var isCutShort = false
        /// Whether records are left that are to be encrypted anew.
        var isRotating = false
        /// Milliseconds after which the server wants to be asked again.
        var retryAfter: Int64?
        /// Milliseconds that other devices have to end what they have begun. News, and saves, are not kept waiting.
        var patience: Int64?

        // Of the zone in which it works.
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
        /// The objects for which it has pulled, to find out what became of their parents, which the server does not
        /// have; nil where it has not.
        var readForParents: Set<ObjectKey>?
        /// The change tags of their parents' records as they were here before that, by those objects; nil where the
        /// server did not have them.
        var tagsOfParents: [ObjectKey: String?] = [:]
        var hasMadeZoneAnew = false
        var hasDroppedToken = false
        /// The zones in which it has begun uploads again.
        var zonesUploading: Set<Int64> = []
        /// Whether the server has something in a zone beside the main one that is not here.
        var hasNews = true
        var totals: Totals

        init(_ triggers: Triggers, followsFailure: Bool) {
            self.triggers = triggers
            self.followsFailure = followsFailure
            totals = Totals(reason: triggers.reason)
        }

        var tickets: [Int] { triggers.tickets }
        /// Whether nothing but a save asks for the cycle.
        var isForSave: Bool { isForSaveAlone && !followsFailure }
        /// The same, whatever came before.
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
        // Of several refusals in a row the first is told: the others change nothing.
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
        // Others' changes are known as long as the server tells of them, and conflicts show themselves.
        let mayKnowAll =
            cycle.zone == 0 ? cycle.isForSave && pushListener.tellsOfChanges && !cycle.readsAll : !cycle.hasNews
        let sendsOnly = mayKnowAll && zone.maySendUnread
        if cycle.zone == 0, !settings.hasMainZone { return passMainZone(sendsOnly: sendsOnly) }
        if sendsOnly { startPush() } else { startPull() }
    }

    /// Where there is no main zone, nothing is in it.
    private mutating func passMainZone(sendsOnly: Bool) {
        if !sendsOnly {
            cycle?.hasPulledAny = true
            zone.pullEnded()
        }
        zoneFinished()
    }

    /// Emits an effect of the running cycle that has an outcome.
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
        if sendArrivals() { return }
        guard let cycle else { return }
        if cycle.hasPulledAny { loadAssets() }
        if let failure = cycle.setAside {
            // All that the server had may be here nonetheless, as where it has no room for what is sent.
            if cycle.hasPulledAny, !cycle.leavesUnread { firstSyncEnded() }
            return failCycle(failure)
        }
        if let failure = uploads.takeFailure() { return finishCycle(failing: failure) }
        let mayWait = uploads.isUnderWay || isLoadingAssets && cycle.hasPulledAny
        guard mayWait, waiting.isEmpty, !isPaused else { return finishCycle() }
        self.cycle?.phase = .awaitingAssets
        // An upload may take hours, and a server that does not tell of changes is asked meanwhile.
        if uploads.isUnderWay, settings.isAutomatic { setPollTimer() }
        effects.append(.report(.progress(cycle.totals.progress(.assets, moreComing: false))))
    }

    /// Ends the cycle, which has done all that could be done.
    ///
    /// - Parameter failure: Why an upload has failed for which changes wait.
    mutating func finishCycle(failing failure: SyncFailure? = nil) {
        guard let ended = endCycle() else { return }
        fruitlessCycles = ended.isIncomplete && !ended.totals.hasProgress ? fruitlessCycles + 1 : 0
        // A cycle without the uploads that rest does not mend their problem.
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
            // All else that is wanted waits no longer because of these changes.
            let attempt = waiting.isEmpty ? fruitlessCycles : 1
            waiting.reasons.insert(.timer)
            if !ended.isCutShort {
                waitToRetry(atLeast: ended.retryAfter, patience: ended.patience, attempt: attempt)
            }
            endWaitForCallers()
        }
        schedulePoll()
        // Sooner than usual, and not by waiting: a save begins a cycle at once.
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
        // A server that tells of changes does not say when an asset, or a step that failed, is worth another try.
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
