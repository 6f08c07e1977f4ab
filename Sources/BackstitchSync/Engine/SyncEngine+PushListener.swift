import Backstitch

extension SyncEngine {
    /// The long poll, which runs beside the cycles.
    struct PushListener: Sendable {
        enum State: Sendable {
            /// Not begun.
            case off
            /// A place where to wait is asked for.
            case registering
            /// The server is being listened to.
            case listening
            /// Something went wrong; a timer runs.
            case waiting
            /// The server sends no notifications; timers do.
            case unsupported
        }

        var state = State.off
        /// How often in a row something went wrong, an answer that came too soon included. A registration that worked
        /// proves nothing.
        var failures = 0
        /// Whether the server may be listened to at the place that is known, once the timer has run out.
        var hasPlace = false
        /// When it began to listen.
        var begun: Int64 = 0
        /// How many notifications in a row came at once, and led to nothing.
        var rumours = 0
        /// Whether it listens for somebody who is not signed in any more; when that ends it begins anew.
        var isStale = false
        /// Whether the server tells of changes as they come.
        var tellsOfChanges: Bool { state == .listening && !isStale }
    }

    mutating func registerPushListener() {
        guard settings.isAutomatic, pushListener.state != .registering, pushListener.state != .listening else { return }
        pushListener.state = .registering
        effects.append(.registerPushListener)
    }

    /// The zone is another user's.
    mutating func pushListenerIsStale() {
        switch pushListener.state {
        case .registering, .listening: pushListener.isStale = true
        case .waiting, .unsupported, .off:
            effects.append(.cancelTimer(.pushListener))
            pushListener = PushListener()
        }
    }

    /// Begins anew where somebody else is signed in by now.
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
            // Changes before the registration were not told of.
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
            // By a clock that has gone back too.
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

    /// A pull has brought something, so what the server tells is worth hearing.
    mutating func pushListenerToldOfChanges() { pushListener.rumours = 0 }

    /// The wait after something odd is over.
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
            // The next cycle that has credentials begins it again.
            pushListener = PushListener()
            return
        }
        guard failure.kind != .noConnection else {
            // The next cycle that has a network begins it again: at once when it is back.
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
        // Later ones leave the poll as it is, or it would never come.
        if pushListener.failures == 1 { schedulePoll() }
    }
}
