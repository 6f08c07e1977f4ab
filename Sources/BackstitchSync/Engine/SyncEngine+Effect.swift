package import Backstitch

extension SyncEngine {
    /// An action that the engine requests. An effect with an outcome must be answered with that event, once.
    package enum Effect: Sendable {
        /// Do this in one of the store's further zones. Outcome: that of the effect, or `zoneDropped` if the store no
        /// longer has such a zone.
        indirect case inZone(Int64, Effect)
        /// Ask the program whether the network may be used now. Outcome: `connectivityAsked`.
        case askConnectivity(SyncReason)
        /// List the further zones that need work, after a request to the server if wanted. Outcome: `zonesFound`.
        case lookAtZones(asksServer: Bool)
        /// Create the missing zones among these, and find the starting point of each. Outcome: `zonesOpened`.
        case openZones([Int64])
        /// Ask the server for changes of several zones at once. Outcome: `pagesFetched`.
        case fetchPages([ZoneCursor])
        /// Write pages of several zones and their tokens, in one transaction. Outcome: `pagesApplied`.
        case applyPages([ZonePage])
        /// Continue the moves of objects from one zone to another. Outcome: `movesSettled`.
        case settleMoves
        /// Record the end of the first sync: everything that the server had at the first contact is here.
        case noteFirstSync

        /// Find out whether the zone belongs to another user. Outcome: `accountChecked`.
        case checkAccount
        /// Create the zone and the subscription. Outcome: `setUpEnded`.
        case setUp
        /// The zone is gone from the server. Forget its state there, and treat the objects here by the program's
        /// policy. Outcome: `zoneForgotten`, or `zoneDropped` if the store has removed the zone.
        case forgetZone
        /// Begin a full fetch: remove the token, and record the received records. Outcome: `tokenForgotten`, or that of
        /// `forgetZone` if another zone has replaced the token's zone.
        case forgetToken
        /// Ask the server for changes. Outcome: `pageFetched`.
        case fetchPage(Cursor)
        /// Write a page and its token, in one transaction. Outcome: `pageApplied`.
        case applyPage(FetchedPage)
        /// Read unsent changes, or only the deletions among them. Outcome: `batchPrepared`.
        case prepareBatch(ceiling: BatchCeiling?, excluding: Set<ObjectKey>, onlyDeletions: Bool)
        /// Upload assets and records. Outcome: `batchSent`.
        case sendBatch(PushBatch)
        /// Remove the journal's notes of attempts that the server certainly has not taken. Outcome:
        /// `attemptsTakenBack`.
        case takeBackAttempts([PushAttempt])
        /// Write the server's answer to a batch, in one transaction. Outcome: `batchSettled`.
        case settleBatch(PushBatch, PushReply)
        /// Download assets that are missing. Outcome: `assetsFetched`.
        case fetchAssets
        /// Upload assets before their records, outside the cycles. Outcome: `assetUploaded`.
        case uploadAsset(HeldUpload)
        /// Stop such uploads. Each still has its outcome, and may be begun again.
        case stopUploads([HeldUpload])
        /// Stop all such uploads of a zone, or of all zones, and forget the results of others.
        case forgetUploads(zone: Int64?)
        /// Register for notifications at the server. Outcome: `pushListenerRegistered`.
        case registerPushListener
        /// Wait for a notification. Outcome: `pushListenerAnswered`.
        case listen

        /// Fire a timer at this uptime, in milliseconds. It replaces the earlier timer of that name.
        case setTimer(Timer, at: Int64)
        /// Do not fire this timer.
        case cancelTimer(Timer)
        /// Report this to the program.
        case report(Report)
        /// Tell one caller that its request will not be carried out.
        case refuse(ticket: Int, BackstitchError)
        /// Cancel all running work.
        case cancelAll
    }

    /// The starting point of a request for changes.
    package enum Cursor: Sendable, Hashable {
        /// The token in the store.
        case stored
        /// The token of a page that is not applied yet.
        case token(String)
    }

    /// A report to the program about a cycle.
    package enum Report: Sendable {
        /// The cycle begins, for this reason.
        case started(SyncReason)
        /// The cycle made progress.
        case progress(SyncProgress)
        /// The cycle has ended; the callers with these tickets get its summary.
        case finished(SyncSummary, tickets: [Int])
        /// The cycle has failed; the callers with these tickets get the error.
        case failed(BackstitchError, tickets: [Int])
    }
}
