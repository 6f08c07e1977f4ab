import Backstitch

// Objects that are on their way from one zone to another. A cycle goes on with them when it has worked in all zones: it
// knows then which of them have arrived, and has sent what lets others leave.
extension SyncEngine {
    /// As many times one cycle goes on with moves: from the mark to the deletion of the marked record takes three.
    private static let moveRounds = 6

    mutating func settleMovesOrFinish() {
        guard let cycle, cycle.mayMove, cycle.setAside == nil else { return finishWork() }
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
        cycle?.mayMove = settled.hasMore || settled.needsReading || !settled.zones.isEmpty
        if let wait = settled.wait {
            cycle?.isIncomplete = true
            let longest = max(wait, cycle?.patience ?? 0)
            cycle?.patience = longest
        }
        if settled.needsReading {
            readAllAgain()
        } else if !settled.zones.isEmpty {
            cycle?.zonesLeft = settled.zones[...]
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
