import Backstitch

extension SyncEngine {
    /// A pull under way: while one page is applied, the next one is fetched.
    struct Pull: Sendable {
        var isFetching = false
        var isApplying = false
        var fetched: FetchedPage?
        var hasLastPage = false
        /// Whether the pull has made changes that are to be sent.
        var hasUnsent = false
    }

    mutating func startPull() {
        cycle?.phase = .pulling
        cycle?.pull = Pull(isFetching: true)
        begin(.fetchPage(.stored))
    }

    mutating func pageFetched(_ result: Result<FetchedPage, SyncFailure>) {
        cycle?.pull.isFetching = false
        guard let page = succeeded(result) else { return }
        cycle?.pull.fetched = page
        advancePull()
    }

    mutating func pageApplied(_ result: Result<AppliedChanges, SyncFailure>) {
        cycle?.pull.isApplying = false
        guard let applied = succeeded(result) else { return }
        noteProgress()
        cycle?.totals.add(applied)
        if applied.mayMissAssets { mayMissAssets = true }
        if applied.hasUnsent { cycle?.pull.hasUnsent = true }
        if let cycle {
            let moreComing = !cycle.pull.hasLastPage
            effects.append(.report(.progress(cycle.totals.progress(.pulling, moreComing: moreComing))))
        }
        advancePull()
    }

    private mutating func advancePull() {
        guard cycle?.failure == nil else { return endIfQuiet() }
        if let page = cycle?.pull.fetched, cycle?.pull.isApplying == false {
            cycle?.pull.fetched = nil
            cycle?.pull.isApplying = true
            if page.moreComing, let token = page.token {
                cycle?.pull.isFetching = true
                begin(.fetchPage(.token(token)))
            } else {
                cycle?.pull.hasLastPage = true
            }
            begin(.applyPage(page))
        } else if let pull = cycle?.pull, pull.hasLastPage, !pull.isApplying {
            pullEnded()
        }
    }

    private mutating func pullEnded() {
        cycle?.hasPulled = true
        isAnswerUnknown = false
        guard let cycle, cycle.hasPushed else { return startPush() }
        if cycle.pull.hasUnsent, settings.isAutomatic { waiting.reasons.insert(.localSave) }
        finishWork()
    }
}
