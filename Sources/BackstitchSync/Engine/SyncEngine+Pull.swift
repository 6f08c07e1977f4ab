import Backstitch

extension SyncEngine {
    /// A running pull: while one page is applied, the next one is fetched.
    struct Pull: Sendable {
        var isFetching = false
        var isApplying = false
        var fetched: FetchedPage?
        var hasLastPage = false
        /// Whether the pull has made changes that must be sent.
        var hasUnsent = false
        /// The number of pages in a row without new data; an empty one counts as a hundred.
        var fruitless = 0
    }

    mutating func startPull() {
        cycle?.phase = .pulling
        cycle?.pull = Pull(isFetching: true)
        begin(.fetchPage(.stored))
    }

    mutating func pageFetched(_ result: Result<FetchedPage, SyncFailure>) {
        cycle?.pull.isFetching = false
        guard let page = succeeded(result) else { return }
        if page.comesAfterOthers { assetsMayBeMissing() }
        cycle?.pull.fetched = page
        advancePull()
    }

    mutating func pageApplied(_ result: Result<AppliedChanges, SyncFailure>) {
        cycle?.pull.isApplying = false
        guard let applied = succeeded(result) else { return }
        noteProgress()
        cycle?.totals.add(applied)
        if applied.mayMissAssets { assetsMayBeMissing() }
        if applied.hasUnsent { cycle?.pull.hasUnsent = true }
        if applied.mayMove { cycle?.mayMove = true }
        if !applied.isFruitless { pushListenerToldOfChanges() }
        if let fault = judge(applied) { return fail(fault) }
        if let cycle {
            let moreComing = !cycle.pull.hasLastPage
            effects.append(.report(.progress(cycle.totals.progress(.pulling, moreComing: moreComing))))
        }
        advancePull()
    }

    /// Returns the failure of a pull that does not end; nil otherwise. The pull later continues from the same place.
    private mutating func judge(_ applied: AppliedChanges) -> SyncFailure? {
        let fruitless = applied.isFruitless ? (cycle?.pull.fruitless ?? 0) + (applied.received == 0 ? 100 : 1) : 0
        cycle?.pull.fruitless = fruitless
        guard cycle?.pull.hasLastPage == false, fruitless > settings.fruitlessPages else { return nil }
        return SyncFailure(
            .busy,
            BackstitchError(
                .protocolViolation,
                "the server says again and again that more changes come, and sends none; it is asked again later"),
            retryAfter: 1_001)
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
            if let zone = cycle?.zone { cycle?.totals.recordsLeft.note(page, of: zone) }
            begin(.applyPage(page))
        } else if let pull = cycle?.pull, pull.hasLastPage, !pull.isApplying {
            pullEnded()
        }
    }

    private mutating func pullEnded() {
        cycle?.hasPulled = true
        cycle?.hasPulledAny = true
        zone.pullEnded()
        guard let cycle, cycle.hasPushed else { return startPush() }
        if cycle.pull.hasUnsent, settings.isAutomatic { waiting.reasons.insert(.localSave) }
        zoneFinished()
    }
}
