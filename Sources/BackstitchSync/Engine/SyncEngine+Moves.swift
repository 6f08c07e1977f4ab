import Backstitch

// Objects that are on their way from one zone to another. A cycle goes on with them when it has worked in all zones: it
// knows then which of them have arrived, and has sent what lets others leave. A zone in which it could not send keeps
// no other from that, and what has left there makes room.
extension SyncEngine {
    /// As many times one cycle goes on with moves: from the mark to the deletion of the marked record takes three.
    private static let moveRounds = 6

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

    /// Reads all zones, from the main one on.
    private mutating func readAllAgain() {
        cycle?.readsAll = true
        cycle?.zonesLeft = nil
        cycle?.joint = JointPull()
        cycle?.enter(ZoneWork(zone: 0, isSetUp: true, isUnread: false, hasNews: true, hasUnsent: true))
        setUpOrWork()
    }
}
