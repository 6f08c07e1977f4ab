import Backstitch

extension SyncEngine {
    /// The situation of the engine.
    ///
    /// ```
    ///            wanted, and not paused
    ///  resting ─────────────────────────► working ─────────────────────► waiting
    ///     ▲                                  │    failed for now, or left   │
    ///     │      ended, or failed for good   │    changes for later         │
    ///     ├──────────────────────────────────┘                              │
    ///     └─────────────────────────────────────────────────────────────────┘
    ///            time is over · asked · good news · paused no more
    ///
    ///  any of them ── the store closes ──► closed
    /// ```
    ///
    /// ``Pause`` lies across: paused, no cycle begins, but one that runs ends by itself, and a wait stays.
    enum Activity: Sendable {
        /// Nothing is under way; a cycle begins as soon as one is wanted.
        case resting
        /// Something is tried again later.
        case waiting(Wait)
        /// A cycle runs.
        case working(Cycle)
        /// The store is closed, for good.
        case closed
    }

    /// A wait before the next cycle.
    struct Wait: Sendable {
        /// When it is over (milliseconds since 1970).
        let end: Int64
        /// Whether the server has asked for it, so that good news does not end it.
        let isAskedFor: Bool
    }

    /// The running cycle, to be read or changed in place; ``beginCycle(_:)`` and ``endCycle()`` make it come and go.
    var cycle: Cycle? {
        get { if case .working(let cycle) = activity { cycle } else { nil } }
        _modify {
            var running: Cycle?
            if case .working(let cycle) = activity {
                running = cycle
                // The lists of the cycle have one owner, so no change copies them.
                activity = .resting
            }
            defer { if let running { activity = .working(running) } }
            yield &running
        }
    }

    var wait: Wait? { if case .waiting(let wait) = activity { wait } else { nil } }
    var isResting: Bool { if case .resting = activity { true } else { false } }
    var isClosed: Bool { if case .closed = activity { true } else { false } }

    mutating func beginCycle(_ cycle: Cycle) { activity = .working(cycle) }

    /// Takes the running cycle out; nil when none runs.
    mutating func endCycle() -> Cycle? {
        guard case .working(let cycle) = activity else { return nil }
        activity = .resting
        return cycle
    }

    mutating func beginWait(_ wait: Wait) { activity = .waiting(wait) }

    /// Ends the wait.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    mutating func endWait() -> Bool {
        guard case .waiting = activity else { return false }
        activity = .resting
        return true
    }

    /// Ends everything.
    ///
    /// - Returns: The cycle that ran.
    mutating func endActivity() -> Cycle? {
        defer { activity = .closed }
        return cycle
    }
}
