import Backstitch

extension SyncEngine {
    /// The status of the engine, without the counts that only the store knows.
    package var status: SyncStatus {
        SyncStatus(
            state: state, lastError: lastError,
            nextTry: (wait?.end ?? uploads.nextTry).map { .init(milliseconds: start + $0) },
            isFirstSyncComplete: mainZone.isFirstSyncComplete)
    }

    private var state: SyncStatus.State {
        if isClosed { return .closed }
        if pauses.contains(.standby) { return .standby }
        if pauses.contains(.off) { return .off }
        if isPaused { return .paused }
        if lastFailure == .network || lastFailure == .noConnection { return .offline }
        if cycle != nil { return .syncing }
        switch lastFailure {
        case .authentication: return .needsCredentials
        case .noRoom: return .needsRoom
        case nil: return .idle
        default: return .waiting
        }
    }
}
