import Backstitch

/// The starting point of a pull.
struct PullStart: Sendable, Equatable {
    /// The token of the last read state; nil for the beginning.
    let token: String?
    /// Whether another process has synced the store since this one last read it. Full fetches have then not met all
    /// received records.
    let comesAfterOthers: Bool
}

extension JournalingStore {
    /// Begins a pull. A full fetch that a restart or another process interrupted begins again.
    func beginPull(_ sweep: FullFetchTracker, _ generation: SyncGeneration) throws -> PullStart {
        let ((token, isSweeping), isMoved) = try generation.begin(in: self) { journal in
            (try journal.value(of: .token), try journal.has(.sweep))
        }
        // Another process has applied pages, so the full fetch has not met all received records.
        if isMoved { sweep.end() }
        guard isSweeping, !sweep.isActive else { return PullStart(token: token, comesAfterOthers: isMoved) }
        try generation.write(to: self) { try $0.beginAgain() }
        sweep.begin()
        return PullStart(token: nil, comesAfterOthers: isMoved)
    }

    /// Forgets the token, so that the next pull reads everything and finds the deleted records.
    func beginFullFetch(
        _ mode: SweepMode, _ sweep: FullFetchTracker, _ generation: SyncGeneration, isAsked: Bool = true
    )
        throws
    {
        try generation.reset(self, isAsked: isAsked) { journal in
            try journal.remove(.token)
            try journal.setSweep(mode)
            try journal.dropWaitingRecords()
        }
        sweep.begin()
    }
}

extension JournalWriting {
    /// Begins a full fetch again.
    func beginAgain() throws {
        if try has(.token) { try remove(.token) }
        try dropWaitingRecords()
    }

    /// Records the mode of a full fetch. A stronger mode that was recorded before stays.
    func setSweep(_ mode: SweepMode) throws {
        let now = try value(of: .sweep)
        if now == .restored || now == .reapply && mode != .restored || now == .asked && mode == .missed { return }
        try set(.sweep, to: mode)
    }
}
