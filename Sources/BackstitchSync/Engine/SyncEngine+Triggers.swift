import Backstitch

extension SyncEngine {
    /// Requests for a cycle that are not fulfilled yet.
    struct Triggers: Sendable {
        var reasons: Set<SyncReason> = []
        var tickets: [Int] = []

        var isEmpty: Bool { reasons.isEmpty && tickets.isEmpty }

        /// The reason that is reported for all of them.
        var reason: SyncReason {
            reasons.min { ($0.rank, $0.description) < ($1.rank, $1.description) } ?? .timer
        }

        /// The reason that the program is asked with. A caller's reason counts while the caller waits.
        var askedReason: SyncReason {
            guard tickets.isEmpty else { return reason }
            let own = reasons.filter { if case .manual = $0 { false } else { true } }
            return Triggers(reasons: own).reason
        }

        mutating func take() -> Triggers {
            defer { self = Triggers() }
            return self
        }
    }

    mutating func trigger(_ reason: SyncReason, ticket: Int?) {
        if isPaused, let ticket {
            effects.append(.refuse(ticket: ticket, pausedError))
            return
        }
        guard ticket != nil || settings.isAutomatic else { return }
        if ticket == nil, reason == .localSave, absorbSave() { return }
        waiting.reasons.insert(reason)
        if let ticket { waiting.tickets.append(ticket) }
        if cycle?.phase == .awaitingAssets { return finishCycle() }
        if let wait, isWorthTrying(reason, hasTicket: ticket != nil, during: wait) {
            endWait()
            effects.append(.cancelTimer(.cycle))
        } else if reason == .localSave {
            shortenWait()
        }
        startIfWanted()
    }

    /// Shortens the wait after deferred changes to the first wait, because of a new save. A wait after a failure stays.
    private mutating func shortenWait() {
        guard let wait, !wait.isAskedFor, lastFailure == nil, !isPaused else { return }
        let end = now + settings.cycleBackOff.delay(attempt: 1, random: random)
        guard end < wait.end else { return }
        beginWait(Wait(end: end, isAskedFor: false))
        effects.append(.setTimer(.cycle, at: end))
    }

    /// Returns whether the running cycle will also send the changes of a new save.
    private mutating func absorbSave() -> Bool {
        // With several zones, the cycle may already have left the save's zone.
        guard let phase = cycle?.phase, cycle?.failure == nil, zones.count == 1 else { return false }
        switch phase {
        // A program that refuses the cycle's reason may allow a save.
        case .askingConnectivity: return false
        case .settingUp, .forgettingZone, .forgettingToken: return true
        case .lookingAtZones, .pullingTogether, .settlingMoves: return false
        case .pulling: return cycle?.hasPushed == false
        case .pushing:
            // The batch that is being read may have been read before the save.
            cycle?.push.mayHaveMore = true
            cycle?.push.isSaveUnread = true
            return true
        case .awaitingAssets: return false
        }
    }

    /// Returns whether a trigger is a good reason to try before the wait after a failure is over.
    private func isWorthTrying(_ reason: SyncReason, hasTicket: Bool, during wait: Wait) -> Bool {
        if hasTicket { return true }
        switch reason {
        case .push, .networkState, .storeAdded, .manual: return !wait.isAskedFor
        case .localSave, .timer: return false
        }
    }

    /// Ends a new wait if a caller asked during the previous cycle: that call deserves its own try.
    mutating func endWaitForCallers() {
        if !waiting.tickets.isEmpty, endWait() { effects.append(.cancelTimer(.cycle)) }
    }

    mutating func startIfWanted() {
        guard isResting, !isPaused, !waiting.isEmpty else { return }
        startCycle(waiting.take())
    }

    /// The reason why no cycle begins.
    enum Pause: Hashable, Sendable {
        /// The user has paused sync.
        case user
        /// Sync is turned off.
        case off
        /// The program wants to decide first how to continue.
        case stopped
        /// Another process syncs the store.
        case standby
    }

    var isPaused: Bool { !pauses.isEmpty }

    mutating func setPause(_ added: Set<Pause>, clearing: Set<Pause>) {
        let wasPaused = isPaused
        pauses = pauses.subtracting(clearing).union(added)
        guard isPaused != wasPaused else { return }
        guard isPaused else {
            endWait()
            if settings.isAutomatic { waiting.reasons.insert(.networkState) }
            return startIfWanted()
        }
        for ticket in waiting.tickets { effects.append(.refuse(ticket: ticket, pausedError)) }
        waiting.tickets = []
        effects += [.cancelTimer(.poll), .cancelTimer(.cycle)]
        if cycle?.phase == .awaitingAssets { finishCycle() }
        refuseCallersOfUploads(pausedError)
        stopUploads()
        if cycle != nil { fail(SyncFailure(.permanent, pausedError)) }
    }

    mutating func credentialsChanged() {
        zones[0]?.credentialsChanged()
        guard settings.isAutomatic || lastFailure == .authentication else { return }
        lastFailure = nil
        if pushListener.state == .waiting { registerPushListener() }
        trigger(.networkState, ticket: nil)
    }

    mutating func close() {
        let ended = endActivity()
        for ticket in (ended?.tickets ?? []) + waiting.tickets {
            effects.append(.refuse(ticket: ticket, Self.closedError))
        }
        waiting = Triggers()
        refuseCallersOfUploads(Self.closedError)
        for timer in [Timer.step, .cycle, .poll, .uploads, .pushListener] { effects.append(.cancelTimer(timer)) }
        effects.append(.cancelAll)
    }

    static let closedError = BackstitchError(
        .storeClosed,
        "the store was closed, or its container was released, and nothing was synced; keep the container as long "
            + "as its store should sync"
    )

    static let standbyError = BackstitchError(
        .syncPaused, "another process has the store open, and syncs it; that process also sends the changes saved here")

    var pausedError: BackstitchError {
        if pauses.contains(.standby) { return Self.standbyError }
        if pauses.contains(.off) {
            return BackstitchError(.syncPaused, "sync is turned off; call turnOn() to let it begin again")
        }
        if pauses.contains(.stopped), let lastError { return lastError }
        return BackstitchError(.syncPaused, "sync is paused; call resume() to let it go on")
    }
}
