import Backstitch

// Moves of objects from one zone to another. A cycle continues them after it has worked in all zones. It then knows
// which objects have arrived, and has sent the changes that let others leave. A zone that could not send does not hold
// up the others. An object that leaves such a zone makes room there.
extension SyncEngine {
    /// The most rounds of moves in one cycle. A move that meets changes of others takes three: it is refused, their
    /// changes are read, and it is sent again.
    private static let moveRounds = 8

    mutating func settleMovesOrFinish() {
        guard let cycle, cycle.mayMove, !cycle.leavesUnread else { return finishWork() }
        guard cycle.moveRounds < Self.moveRounds else {
            self.cycle?.isIncomplete = true
            return finishWork()
        }
        self.cycle?.moveRounds += 1
        settleMoves()
    }

    mutating func settleMoves() {
        cycle?.phase = .settlingMoves
        cycle?.zone = 0
        begin(.settleMoves)
    }

    mutating func movesSettled(_ result: Result<SettledMoves, SyncFailure>) {
        guard let settled = succeeded(result) else { return }
        noteProgress()
        cycle?.totals.add(settled.applied)
        if settled.applied.mayMissAssets { assetsMayBeMissing() }
        // A zone that was set aside would fail again.
        let isAside = cycle?.zonesAside ?? []
        let zones = settled.zones.filter { !isAside.contains($0.zone) }
        let reads = settled.needsReading && isAside.isEmpty
        cycle?.mayMove = settled.hasMore || reads || !zones.isEmpty
        if let wait = settled.wait {
            cycle?.isIncomplete = true
            let longest = max(wait, cycle?.patience ?? 0)
            cycle?.patience = longest
        }
        if reads {
            readAllAgain()
        } else if !zones.isEmpty {
            cycle?.zonesLeft = zones[...]
            cycle?.joint = JointPull()
            zoneFinished()
        } else {
            settleMovesOrFinish()
        }
    }

    /// Reads all zones, beginning with the main one.
    private mutating func readAllAgain() {
        cycle?.readsAll = true
        cycle?.zonesLeft = nil
        cycle?.joint = JointPull()
        cycle?.enter(ZoneWork(zone: 0, isSetUp: true, isUnread: false, hasNews: true, hasUnsent: true))
        setUpOrWork()
    }
}
