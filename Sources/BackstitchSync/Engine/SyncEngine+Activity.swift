import Backstitch

extension SyncEngine {
    /// The state of the engine.
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
    /// ``Pause`` is independent of it. During a pause no cycle begins, but a running one ends normally, and a wait
    /// stays.
    enum Activity: Sendable {
        /// Nothing is running; a cycle begins as soon as one is wanted.
        case resting
        /// A later retry is planned.
        case waiting(Wait)
        /// A cycle is running.
        case working(Cycle)
        /// The store is closed for good.
        case closed
    }

    /// A wait before the next cycle.
    struct Wait: Sendable {
        /// The end of the wait, as uptime in milliseconds.
        let end: Int64
        /// Whether the server has asked for it, so that good news does not end it.
        let isAskedFor: Bool
    }

    /// The running cycle, read or changed in place; ``beginCycle(_:)`` and ``endCycle()`` set and remove it.
    var cycle: Cycle? {
        get { if case .working(let cycle) = activity { cycle } else { nil } }
        _modify {
            var running: Cycle?
            if case .working(let cycle) = activity {
                running = cycle
                // The lists of the cycle have one owner, so a change never copies them.
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

    /// Removes and returns the running cycle; nil when none runs.
    mutating func endCycle() -> Cycle? {
        guard case .working(let cycle) = activity else { return nil }
        activity = .resting
        return cycle
    }

    mutating func beginWait(_ wait: Wait) { activity = .waiting(wait) }

    /// Ends the wait before the next cycle.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    mutating func endWait() -> Bool {
        guard case .waiting = activity else { return false }
        activity = .resting
        return true
    }

    /// Closes the engine for good.
    ///
    /// - Returns: The cycle that was running.
    mutating func endActivity() -> Cycle? {
        defer { activity = .closed }
        return cycle
    }
}
