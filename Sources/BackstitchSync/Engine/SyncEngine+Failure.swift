import Backstitch

extension SyncEngine {
    /// Records the failure of a step, and continues when the parallel steps have ended too.
    mutating func fail(_ failure: SyncFailure) {
        guard cycle != nil else { return }
        if cycle?.failure == nil { cycle?.failure = failure }
        dropReady()
        endIfQuiet()
    }

    mutating func endIfQuiet() {
        guard let cycle, let failure = cycle.failure, cycle.outstanding == 0 else { return }
        if isPaused { return failCycle(SyncFailure(.permanent, pausedError)) }
        if cycle.phase == .pullingTogether, mendJointPull(failure) { return }
        switch failure.kind {
        case .zoneNotFound where cycle.isBesideZones, .tokenRefused where cycle.isBesideZones:
            // The failure may concern any zone, and the main one may be intact: the next pull of each finds out.
            failCycle(failure)
        case .zoneNotFound where !cycle.hasMadeZoneAnew:
            forgetZone()
        case .tokenRefused where !cycle.hasDroppedToken:
            self.cycle?.hasDroppedToken = true
            recover(in: .forgettingToken, with: .forgetToken)
        case .zoneDropped where cycle.zone != 0: leaveDroppedZone()
        case .permanent where cycle.zone != 0, .zoneNotFound where cycle.zone != 0, .tokenRefused where cycle.zone != 0,
            .noRoom:
            // The other zones cannot help, so the failure is set aside and the cycle continues with them.
            self.cycle?.setAside = cycle.setAside ?? failure
            self.cycle?.zonesAside.insert(cycle.zone)
            let isRead = zone.reading != .unread && (cycle.hasPulled || zone.isFirstSyncComplete)
            if !isRead { self.cycle?.leavesUnread = true }
            self.cycle?.failure = nil
            zoneFinished()
        default:
            if failure.isPassing, cycle.retries < settings.stepRetries,
                (failure.retryAfter ?? 0) <= 1_000
            {
                self.cycle?.retries += 1
                let delay = settings.stepBackOff.delay(attempt: cycle.retries + 1, random: random)
                effects.append(.setTimer(.step, at: now + max(delay, failure.retryAfter ?? 0)))
            } else {
                failCycle(failure)
            }
        }
    }

    /// Creates the zone again, or continues without it.
    mutating func forgetZone() {
        cycle?.hasMadeZoneAnew = true
        recover(in: .forgettingZone, with: .forgetZone)
    }

    /// Reads the zone again afterwards; then there may be changes to send again.
    private mutating func recover(in phase: Cycle.Phase, with effect: Effect) {
        cycle?.failure = nil
        cycle?.hasPushed = false
        cycle?.pullsAgain = false
        cycle?.phase = phase
        begin(effect)
    }

    /// Tries the failed step again.
    mutating func resumeStep() {
        guard let phase = cycle?.phase, cycle?.failure != nil, cycle?.outstanding == 0 else { return }
        cycle?.failure = nil
        switch phase {
        case .askingConnectivity: begin(.askConnectivity(cycle?.triggers.askedReason ?? .timer))
        case .lookingAtZones: lookAtZones()
        case .settlingMoves: settleMoves()
        case .pullingTogether: pullTogether()
        case .settingUp: setUpOrWork()
        case .forgettingZone: begin(.forgetZone)
        case .forgettingToken: begin(.forgetToken)
        case .pulling: startPull()
        case .pushing: if zone.reading == .unanswered { startPull() } else { startPush() }
        case .awaitingAssets: finishCycle()
        }
    }

    mutating func failCycle(_ failure: SyncFailure) {
        guard let ended = endCycle() else { return }
        _ = uploads.takeFailure()
        effects.append(.cancelTimer(.step))
        tellFailure(failure, of: ended)
        // A wanted cycle begins when sync is resumed.
        if isPaused { return }
        lastError = failure.error
        lastFailure = failure.kind
        if failure.kind == .stopped {
            for ticket in waiting.tickets { effects.append(.refuse(ticket: ticket, failure.error)) }
            waiting.tickets = []
            pauses.insert(.stopped)
            return
        }
        fruitlessCycles += 1
        if failure.isTransient, settings.isAutomatic {
            waiting.reasons.formUnion(ended.triggers.reasons)
            waitToRetry(atLeast: failure.retryAfter, attempt: fruitlessCycles)
        } else if failure.kind != .authentication {
            schedulePoll()
        }
        endWaitForCallers()
        startIfWanted()
    }

    /// Reports the failure of a cycle to its callers, and to those that wait for uploads.
    mutating func tellFailure(_ failure: SyncFailure, of ended: Cycle) {
        if ended.totals.isWorthTelling || failedTotals != nil {
            failedTotals = failedTotals ?? Totals(reason: ended.triggers.reason)
            failedTotals?.add(ended.totals.summary(), isAsked: false)
        }
        let tickets = ended.tickets + uploads.takeCallers()
        if ended.isTold {
            effects.append(.report(.failed(failure.error, tickets: tickets)))
        } else {
            for ticket in tickets { effects.append(.refuse(ticket: ticket, failure.error)) }
        }
    }

    mutating func waitToRetry(atLeast retryAfter: Int64?, patience: Int64? = nil, attempt: Int) {
        let delay = max(
            settings.cycleBackOff.delay(attempt: attempt, random: random), retryAfter ?? 0, patience ?? 0)
        beginWait(Wait(end: now + delay, isAskedFor: (retryAfter ?? 0) > 0))
        effects.append(.setTimer(.cycle, at: now + delay))
    }
}
