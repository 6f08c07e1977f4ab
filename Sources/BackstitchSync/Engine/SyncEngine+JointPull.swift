import Backstitch

// Before a cycle works in its zones one after another, it reads those with unread changes together.
extension SyncEngine {
    /// Begins to read zones together if there are several; otherwise works in the next one.
    mutating func pullTogether() {
        guard let cycle else { return }
        let together = (cycle.zonesLeft ?? []).filter { work in
            let knowledge = zones[work.zone]
            let isToRead =
                !work.isSetUp || work.isUnread || work.hasNews || knowledge?.needs.contains(.zone) == true
                || knowledge?.reading == .unanswered
            return isToRead && !work.isGone && !cycle.joint.read.contains(work.zone)
                && !cycle.joint.alone.contains(work.zone)
        }
        guard together.count > 1 else { return pulledTogether() }
        for work in together { meet(work) }
        self.cycle?.phase = .pullingTogether
        begin(.openZones(together.map(\.zone)))
    }

    mutating func zonesOpened(_ result: Result<OpenedZones, SyncFailure>) {
        guard let opened = succeeded(result) else { return }
        if opened.comesAfterOthers { assetsMayBeMissing() }
        for cursor in opened.cursors { zones[cursor.zone]?.setUp() }
        cycle?.joint.begin(with: opened.cursors)
        advanceJointPull()
    }

    mutating func pagesFetched(_ result: Result<FetchedPages, SyncFailure>) {
        guard let fetched = succeeded(result) else { return }
        let (width, settings) = (zonesTogether, settings)
        zonesTogether = cycle?.joint.take(fetched, width: width, settings) ?? width
        advanceJointPull()
    }

    mutating func pagesApplied(_ result: Result<AppliedPages, SyncFailure>) {
        guard let answer = succeeded(result) else { return }
        noteProgress()
        let before = cycle?.joint.read ?? []
        for page in cycle?.joint.applying ?? [] { cycle?.totals.recordsLeft.note(page.page, of: page.zone) }
        cycle?.joint.take(answer)
        for zone in (cycle?.joint.read ?? []).subtracting(before) { zones[zone]?.pullEnded() }
        for (_, applied) in answer.zones {
            cycle?.totals.add(applied)
            if applied.mayMissAssets { assetsMayBeMissing() }
            if applied.mayMove { cycle?.mayMove = true }
            if !applied.isFruitless { pushListenerToldOfChanges() }
        }
        if let cycle {
            let moreComing = cycle.joint.hasMore
            effects.append(.report(.progress(cycle.totals.progress(.pulling, moreComing: moreComing))))
        }
        advanceJointPull()
    }

    private mutating func advanceJointPull() {
        guard cycle?.failure == nil else { return endIfQuiet() }
        let (records, width) = (settings.recordsTogether, zonesTogether)
        let hasPages = cycle?.joint.takePages(records: records) == true
        if cycle?.joint.takeZones(width) == true, let asked = cycle?.joint.asked { begin(.fetchPages(asked)) }
        if hasPages, let pages = cycle?.joint.applying { begin(.applyPages(Array(pages))) }
        if cycle?.joint.isQuiet == true { pulledTogether() }
    }

    /// Handles a failure of the joint pull that waiting does not help. After a request that took too long, it continues
    /// with fewer zones at once; otherwise with each zone alone.
    ///
    /// - Returns: Whether it is such a failure.
    mutating func mendJointPull(_ failure: SyncFailure) -> Bool {
        switch failure.kind {
        case _ where failure.tookTooLong: zonesTogether /= 4
        case .permanent, .zoneNotFound, .zoneDropped, .tokenRefused, .noRoom, .batchRefused: break
        case .network, .noConnection, .busy, .authentication, .superseded, .stopped: return false
        }
        cycle?.failure = nil
        if failure.tookTooLong, zonesTogether > 1 {
            pullTogether()
        } else {
            zonesTogether = max(zonesTogether, 2)
            let left = (cycle?.zonesLeft ?? []).map(\.zone)
            cycle?.joint.leaveAlone(left)
            pulledTogether()
        }
        return true
    }

    /// Works in the zones one by one: in those with changes to send, and in those that were left alone.
    private mutating func pulledTogether() {
        if let joint = cycle?.joint, !joint.read.isEmpty, let left = cycle?.zonesLeft {
            cycle?.hasPulledAny = true
            cycle?.zonesLeft = ArraySlice(
                left.compactMap { work in
                    guard joint.read.contains(work.zone) else { return work }
                    var work = work
                    (work.isSetUp, work.isUnread, work.hasNews) = (true, false, false)
                    work.hasUnsent = work.hasUnsent || joint.unsent.contains(work.zone)
                    return work.isDone ? nil : work
                })
        }
        zoneFinished()
    }
}
