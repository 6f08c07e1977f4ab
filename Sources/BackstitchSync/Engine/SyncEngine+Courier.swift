import Backstitch

extension SyncEngine {
    /// The long poll, which runs beside the cycles.
    struct Courier: Sendable {
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
        var failures = 0
        /// Whether it listens for somebody who is not signed in any more; when that ends it begins anew.
        var isStale = false
        /// Whether the server tells of changes as they come.
        var tellsOfChanges: Bool { state == .listening && !isStale }
    }

    mutating func registerCourier() {
        guard settings.isAutomatic, courier.state != .registering, courier.state != .listening else { return }
        courier.state = .registering
        effects.append(.registerCourier)
    }

    /// The zone is another user's.
    mutating func courierIsStale() {
        switch courier.state {
        case .registering, .listening: courier.isStale = true
        case .waiting, .unsupported, .off:
            effects.append(.cancelTimer(.courier))
            courier = Courier()
        }
    }

    /// Begins anew where somebody else is signed in by now.
    private mutating func renewedIfStale() -> Bool {
        guard courier.isStale else { return false }
        courier = Courier()
        registerCourier()
        return true
    }

    mutating func courierRegistered(_ result: Result<Bool, SyncFailure>) {
        if renewedIfStale() { return }
        switch result {
        case .success(true):
            courier = Courier(state: .listening)
            effects.append(.listen)
            // What changed before the registration was not told of.
            if let phase = cycle?.phase, phase != .awaitingAssets, cycle?.failure == nil {
                if cycle?.hasPushed == true { trigger(.push, ticket: nil) } else { cycle?.pullsAgain = true }
            } else {
                trigger(.push, ticket: nil)
            }
        case .success(false):
            courier.state = .unsupported
            schedulePoll()
        case .failure(let failure): courierFailed(failure)
        }
    }

    mutating func courierAnswered(_ result: Result<Bool, SyncFailure>) {
        if renewedIfStale() { return }
        switch result {
        case .success(let hasNews):
            courier.failures = 0
            effects.append(.listen)
            if hasNews { trigger(.push, ticket: nil) }
        case .failure(let failure): courierFailed(failure)
        }
    }

    private mutating func courierFailed(_ failure: SyncFailure) {
        guard failure.kind != .authentication else {
            // The next cycle that has credentials begins it again.
            courier = Courier()
            return
        }
        courier.failures += 1
        courier.state = .waiting
        let delay = settings.courierBackOff.delay(attempt: courier.failures, random: random)
        effects.append(.setTimer(.courier, at: now + max(delay, failure.retryAfter ?? 0)))
        schedulePoll()
    }
}
