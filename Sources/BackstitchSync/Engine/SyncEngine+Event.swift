import Backstitch

extension SyncEngine {
    /// An event that is reported to the engine.
    package enum Event: Sendable {
        /// A cycle is wanted. With a ticket, a caller waits for a cycle that begins after the call.
        case trigger(SyncReason, ticket: Int?)
        /// A timer of ``Effect/setTimer(_:at:)`` has fired.
        case timerFired(Timer)
        /// The user pauses or resumes sync.
        case paused(Bool)
        /// The user turns sync off permanently, or on again.
        case turnedOff(Bool)
        /// Another process has synced the store until now, and this one does from now on.
        case tookOver(isSetUp: Bool, isFirstSyncComplete: Bool, isOff: Bool)
        /// Another process may sync the store from now on.
        case lostLead
        /// The state of all zones was forgotten: they must be created, or found, again.
        case zoneErased
        /// There are new credentials, or they were removed.
        case credentialsChanged
        /// The store closes for good.
        case closed

        /// Outcome of ``Effect/askConnectivity(_:)``: success if the network may be used now.
        case connectivityAsked(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/lookAtZones(asksServer:)``: the further zones with work.
        case zonesFound(Result<FoundZones, SyncFailure>)
        /// Outcome of ``Effect/openZones(_:)``: the starting points of the zones.
        case zonesOpened(Result<OpenedZones, SyncFailure>)
        /// Outcome of ``Effect/fetchPages(_:)``: the received pages.
        case pagesFetched(Result<FetchedPages, SyncFailure>)
        /// Outcome of ``Effect/applyPages(_:)``: the changes that the pages have made.
        case pagesApplied(Result<AppliedPages, SyncFailure>)
        /// Outcome of ``Effect/settleMoves``: the changes, and the zones with new work.
        case movesSettled(Result<SettledMoves, SyncFailure>)
        /// Outcome of ``Effect/forgetZone`` if the store has removed the zone: the objects that were removed with it.
        case zoneDropped(Result<AppliedChanges, SyncFailure>)
        /// Outcome of ``Effect/checkAccount``: whether everything begins again, because the zone belongs to another
        /// user.
        case accountChecked(Result<Bool, SyncFailure>)
        /// Outcome of ``Effect/setUp``: success once the zone and the subscription exist.
        case setUpEnded(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/forgetZone``: success if the store keeps the zone.
        case zoneForgotten(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/forgetToken``: success once a full fetch can begin.
        case tokenForgotten(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/fetchPage(_:)``: the received page.
        case pageFetched(Result<FetchedPage, SyncFailure>)
        /// Outcome of ``Effect/applyPage(_:)``: the changes that the page has made.
        case pageApplied(Result<AppliedChanges, SyncFailure>)
        /// Outcome of ``Effect/prepareBatch(ceiling:excluding:onlyDeletions:)``: the next batch, if there is one.
        case batchPrepared(Result<PreparedBatch, SyncFailure>)
        /// Outcome of ``Effect/sendBatch(_:)``: the server's reply.
        case batchSent(Result<PushReply, SyncFailure>)
        /// Outcome of ``Effect/takeBackAttempts(_:)``: success once the notes are removed.
        case attemptsTakenBack(Result<Void, SyncFailure>)
        /// Outcome of ``Effect/settleBatch(_:_:)``: the results of the batch.
        case batchSettled(Result<SettledBatch, SyncFailure>)
        /// Outcome of ``Effect/fetchAssets``: the number of assets that are still missing, and the time until the first
        /// retry.
        case assetsFetched(missing: Int, wait: Int64? = nil)
        /// Outcome of ``Effect/uploadAsset(_:)``: the waiting changes can be sent, or the reason why they still wait.
        case assetUploaded(HeldUpload, Result<Void, SyncFailure>)
        /// Outcome of ``Effect/registerPushListener``; false when the server sends no notifications.
        case pushListenerRegistered(Result<Bool, SyncFailure>)
        /// Outcome of ``Effect/listen``; true when the server reported a change, false when it had nothing to report.
        case pushListenerAnswered(Result<Bool, SyncFailure>)
    }

    /// The timers that the engine sets; there is at most one of each.
    package enum Timer: Hashable, Sendable {
        /// Retries a step of the running cycle.
        case step
        /// Tries again after a failed cycle.
        case cycle
        /// Retries uploads that have failed.
        case uploads
        /// Polls for changes, if there are no notifications.
        case poll
        /// Opens the long poll again.
        case pushListener
    }
}
