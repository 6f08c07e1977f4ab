import Backstitch

extension SyncEngine {
    /// The long poll, which runs outside the cycles.
    struct PushListener: Sendable {
        enum State: Sendable {
            /// The listener has not begun.
            case off
            /// It registers for notifications.
            case registering
            /// It waits for a notification.
            case listening
            /// An error occurred; a timer is running.
            case waiting
            /// The server sends no notifications; timers replace them.
            case unsupported
        }

        var state = State.off
        /// The number of errors in a row, including answers that arrived too soon. A successful registration does not
        /// reset it.
        var failures = 0
        /// Whether the known registration can be used again after the timer.
        var hasPlace = false
        /// The uptime at which it began to listen, in milliseconds.
        var begun: Int64 = 0
        /// The number of notifications in a row that arrived at once and led to nothing.
        var rumours = 0
        /// Whether it listens for a user who is no longer signed in. It begins again when that request ends.
        var isStale = false
        /// Whether the server sends notifications of changes.
        var tellsOfChanges: Bool { state == .listening && !isStale }
    }

    mutating func registerPushListener() {
        guard settings.isAutomatic, pushListener.state != .registering, pushListener.state != .listening else { return }
        pushListener.state = .registering
        effects.append(.registerPushListener)
    }

    /// Marks the listener as out of date, because the zone belongs to another user.
    mutating func pushListenerIsStale() {
        switch pushListener.state {
        case .registering, .listening: pushListener.isStale = true
        case .waiting, .unsupported, .off:
            effects.append(.cancelTimer(.pushListener))
            pushListener = PushListener()
        }
    }

    /// Begins again if another user has signed in.
    private mutating func renewedIfStale() -> Bool {
        guard pushListener.isStale else { return false }
        pushListener = PushListener()
        if !pauses.contains(.standby) { registerPushListener() }
        return true
    }

    mutating func pushListenerRegistered(_ result: Result<Bool, SyncFailure>) {
        if renewedIfStale() { return }
        switch result {
        case .success(true):
            pushListener = PushListener(failures: pushListener.failures, rumours: pushListener.rumours)
            listen()
            // No notification was sent for changes before the registration.
            if let phase = cycle?.phase, phase != .awaitingAssets, cycle?.failure == nil {
                let isBetweenZones = phase == .lookingAtZones || phase == .pullingTogether
                let mayPullAgain = cycle?.hasPushed == false && cycle?.zone == 0 && !isBetweenZones
                if mayPullAgain { cycle?.pullsAgain = true } else { trigger(.push, ticket: nil) }
            } else {
                trigger(.push, ticket: nil)
            }
        case .success(false):
            pushListener.state = .unsupported
            schedulePoll()
        case .failure(let failure): pushListenerFailed(failure)
        }
    }

    mutating func pushListenerAnswered(_ result: Result<Bool, SyncFailure>) {
        if renewedIfStale() { return }
        switch result {
        case .success(let hasNews):
            // Uptime is compared, so a change of the wall clock has no effect.
            let isTooSoon = now - pushListener.begun < settings.pushListenerFloor
            if !isTooSoon { (pushListener.failures, pushListener.rumours) = (0, 0) }
            if hasNews { pushListener.rumours += 1 }
            if isTooSoon, !hasNews || pushListener.rumours > settings.pushListenerRumours {
                pushListener.hasPlace = true
                pushListenerWaits()
            } else {
                listen()
            }
            if hasNews { trigger(.push, ticket: nil) }
        case .failure(let failure): pushListenerFailed(failure)
        }
    }

    /// Resets the count of useless notifications, because a pull has brought changes.
    mutating func pushListenerToldOfChanges() { pushListener.rumours = 0 }

    /// Continues after a wait.
    mutating func resumePushListener() {
        guard pushListener.state == .waiting, pushListener.hasPlace else { return registerPushListener() }
        listen()
    }

    private mutating func listen() {
        pushListener.state = .listening
        pushListener.hasPlace = false
        pushListener.begun = now
        effects.append(.listen)
    }

    private mutating func pushListenerFailed(_ failure: SyncFailure) {
        guard failure.kind != .authentication else {
            // The next cycle with credentials begins it again.
            pushListener = PushListener()
            return
        }
        guard failure.kind != .noConnection else {
            // The next cycle with a network begins it again, at once when the network is back.
            pushListener = PushListener()
            return schedulePoll()
        }
        pushListenerWaits(atLeast: failure.retryAfter)
    }

    private mutating func pushListenerWaits(atLeast retryAfter: Int64? = nil) {
        pushListener.failures += 1
        pushListener.state = .waiting
        let delay = settings.pushListenerBackOff.delay(attempt: pushListener.failures, random: random)
        effects.append(.setTimer(.pushListener, at: now + max(delay, retryAfter ?? 0)))
        // Later failures do not move the poll's timer, or it would never fire.
        if pushListener.failures == 1 { schedulePoll() }
    }
}
