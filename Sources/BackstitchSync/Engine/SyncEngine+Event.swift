import Backstitch

extension SyncEngine {
    /// An event that the engine is told of.
    package enum Event: Sendable {
        /// A cycle is wanted. With a ticket somebody waits for the cycle that covers the call.
        case trigger(SyncReason, ticket: Int?)
        /// A timer of ``Effect/setTimer(_:at:)`` has run out.
        case timerFired(Timer)
        /// The user pauses sync, or lets it go on.
        case paused(Bool)
        /// The user turns sync off for good, or on again.
        case turnedOff(Bool)
        /// Another process has synced the store until now, and this one does from now on.
        case tookOver(isSetUp: Bool, isFirstSyncComplete: Bool, isOff: Bool)
        /// Another process may sync the store from now on.
        case lostLead
        /// All that was known of the zones was forgotten: they have to be made, or found, again.
        case zoneErased
        /// There are new credentials, or none any more.
        case credentialsChanged
        /// The store closes.
        case closed

        /// Outcome of ``Effect/askConnectivity(_:)``.
        case connectivityAsked(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/lookAtZones(asksServer:)``.
        case zonesFound(Result<FoundZones, SyncFailure>)
        /// Outcome of ``Effect/openZones(_:)``.
        case zonesOpened(Result<OpenedZones, SyncFailure>)
        /// Outcome of ``Effect/fetchPages(_:)``.
        case pagesFetched(Result<FetchedPages, SyncFailure>)
        /// Outcome of ``Effect/applyPages(_:)``.
        case pagesApplied(Result<AppliedPages, SyncFailure>)
        /// Outcome of ``Effect/settleMoves``.
        case movesSettled(Result<SettledMoves, SyncFailure>)
        /// Outcome of ``Effect/forgetZone`` in a zone that the store does without from now on: the objects that went
        /// with it.
        case zoneDropped(Result<AppliedChanges, SyncFailure>)
        /// Outcome of ``Effect/checkAccount``: whether everything begins anew, since the zone is another user's.
        case accountChecked(Result<Bool, SyncFailure>)
        /// Outcome of ``Effect/setUp``.
        case setUpEnded(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/forgetZone``.
        case zoneForgotten(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/forgetToken``.
        case tokenForgotten(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/fetchPage(_:)``.
        case pageFetched(Result<FetchedPage, SyncFailure>)
        /// Outcome of ``Effect/applyPage(_:)``.
        case pageApplied(Result<AppliedChanges, SyncFailure>)
        /// Outcome of ``Effect/prepareBatch(ceiling:excluding:onlyDeletions:)``.
        case batchPrepared(Result<PreparedBatch, SyncFailure>)
        /// Outcome of ``Effect/sendBatch(_:)``.
        case batchSent(Result<PushReply, SyncFailure>)
        /// Outcome of ``Effect/takeBackAttempts(_:)``.
        case attemptsTakenBack(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/settleBatch(_:_:)``.
        case batchSettled(Result<SettledBatch, SyncFailure>)
        /// Outcome of ``Effect/fetchAssets``: how many are still missing, and when the first of them is to be tried
        /// again.
        case assetsFetched(missing: Int, wait: Int64? = nil)
        /// Outcome of ``Effect/uploadAsset(_:)``: the changes that have waited for it can be sent; or why they wait on.
        case assetUploaded(HeldUpload, Result<Void, SyncFailure>)
        /// Outcome of ``Effect/registerPushListener``; false when the server has none.
        case pushListenerRegistered(Result<Bool, SyncFailure>)
        /// Outcome of ``Effect/listen``; true when the server said that something changed, false when it had nothing to
        /// say.
        case pushListenerAnswered(Result<Bool, SyncFailure>)
    }

    /// The timers that the engine sets; of each there is at most one.
    package enum Timer: Hashable, Sendable {
        /// Tries a step of the running cycle again.
        case step
        /// Tries again after a failed cycle.
        case cycle
        /// Tries uploads again that have failed.
        case uploads
        /// Looks for changes where nobody tells of them.
        case poll
        /// Opens the long poll again.
        case pushListener
    }
}
