import Backstitch

/// Where a pull begins.
struct PullStart: Sendable, Equatable {
    /// The token up to which one has read; nil for the beginning.
    let token: String?
    /// Whether another process has synced the store since this one last looked: full fetches have not met all records
    /// that have come.
    let comesAfterOthers: Bool
}

extension JournalingStore {
    /// Begins a pull. A full fetch that a restart or another process interrupted begins again.
    func beginPull(_ sweep: FullFetchTracker, _ generation: SyncGeneration) throws -> PullStart {
        let ((token, isSweeping), isMoved) = try generation.begin(in: self) { journal in
            (try journal.value(of: .token), try journal.has(.sweep))
        }
        // Another process has applied pages, so the sweep has not met all records that have come.
        if isMoved { sweep.end() }
        guard isSweeping, !sweep.isActive else { return PullStart(token: token, comesAfterOthers: isMoved) }
        try generation.write(to: self) { try $0.beginAgain() }
        sweep.begin()
        return PullStart(token: nil, comesAfterOthers: isMoved)
    }

    /// Forgets how far one has read, so that the next pull reads everything, and finds what was deleted meanwhile.
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
    /// Has a full fetch begin again.
    func beginAgain() throws {
        if try has(.token) { try remove(.token) }
        try dropWaitingRecords()
    }

    /// Notes how a full fetch is read. A stronger mode that was noted before stays.
    func setSweep(_ mode: SweepMode) throws {
        let now = try value(of: .sweep)
        if now == .restored || now == .reapply && mode != .restored || now == .asked && mode == .missed { return }
        try set(.sweep, to: mode)
    }
}
