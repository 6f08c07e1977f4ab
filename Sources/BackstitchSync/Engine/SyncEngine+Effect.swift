package import Backstitch

extension SyncEngine {
    /// An action that the engine wants done. An effect that names an outcome must be answered with that event, once.
    package enum Effect: Sendable {
        /// Do this in one of the zones that the store has beside its main one. Outcome: that of the effect, or
        /// `zoneDropped` where the store has no such zone any more.
        indirect case inZone(Int64, Effect)
        /// Ask the program whether the network may be used now. Outcome: `connectivityAsked`.
        case askConnectivity(SyncReason)
        /// Find out in which zones beside the main one there is something to do, and ask the server before. Outcome:
        /// `zonesFound`.
        case lookAtZones(asksServer: Bool)
        /// Make those of these zones that were not made yet, and find out from where they are read. Outcome:
        /// `zonesOpened`.
        case openZones([Int64])
        /// Ask the server for changes of several zones at once. Outcome: `pagesFetched`.
        case fetchPages([ZoneCursor])
        /// Write pages of several zones and their tokens, in one transaction. Outcome: `pagesApplied`.
        case applyPages([ZonePage])
        /// Go on with objects that are on their way from one zone to another. Outcome: `movesSettled`.
        case settleMoves
        /// Note that all that the server had at the first contact is here.
        case noteFirstSync

        /// Find out whose zone it is. Outcome: `accountChecked`.
        case checkAccount
        /// Make the zone and the subscription. Outcome: `setUpEnded`.
        case setUp
        /// The server has lost the zone: forget what it knew, and do with the objects here as the program wants it.
        /// Outcome: `zoneForgotten`, or `zoneDropped` where the store has done without the zone.
        case forgetZone
        /// Begin a full fetch: drop the token and note which records come. Outcome: `tokenForgotten`, or that of
        /// `forgetZone` where another zone has taken the place of the one that the token was of.
        case forgetToken
        /// Ask the server for changes. Outcome: `pageFetched`.
        case fetchPage(Cursor)
        /// Write a page and its token, in one transaction. Outcome: `pageApplied`.
        case applyPage(FetchedPage)
        /// Read unsent changes, or of them the deletions alone. Outcome: `batchPrepared`.
        case prepareBatch(ceiling: BatchCeiling?, excluding: Set<ObjectKey>, onlyDeletions: Bool)
        /// Upload assets and records. Outcome: `batchSent`.
        case sendBatch(PushBatch)
        /// Take back the journal's notes of attempts of which the server certainly has nothing. Outcome:
        /// `attemptsTakenBack`.
        case takeBackAttempts([PushAttempt])
        /// Write what the server said of a batch, in one transaction. Outcome: `batchSettled`.
        case settleBatch(PushBatch, PushReply)
        /// Download assets that are missing. Outcome: `assetsFetched`.
        case fetchAssets
        /// Upload assets whose records wait for that, beside the cycles. Outcome: `assetUploaded`.
        case uploadAsset(HeldUpload)
        /// Stop such uploads. Each still has its outcome, and may be begun again.
        case stopUploads([HeldUpload])
        /// Stop all such uploads of a zone, or of all zones, and forget what came of others.
        case forgetUploads(zone: Int64?)
        /// Get a place where to wait for notifications. Outcome: `pushListenerRegistered`.
        case registerPushListener
        /// Wait there for a notification. Outcome: `pushListenerAnswered`.
        case listen

        /// Fire a timer at that time (milliseconds since 1970), in place of the earlier one of that name.
        case setTimer(Timer, at: Int64)
        /// Do not fire the timer.
        case cancelTimer(Timer)
        /// Tell the program.
        case report(Report)
        /// Tell one caller that nothing will be done for it.
        case refuse(ticket: Int, BackstitchError)
        /// End all work that is under way.
        case cancelAll
    }

    /// From where to read changes.
    package enum Cursor: Sendable, Hashable {
        /// From the token in the store.
        case stored
        /// From that token, which a page that is not applied yet has brought.
        case token(String)
    }

    /// A report to the program about a cycle.
    package enum Report: Sendable {
        /// It begins.
        case started(SyncReason)
        /// It got on.
        case progress(SyncProgress)
        /// It has ended; the callers with these tickets get its summary.
        case finished(SyncSummary, tickets: [Int])
        /// It has failed; the callers with these tickets get the error.
        case failed(BackstitchError, tickets: [Int])
    }
}
