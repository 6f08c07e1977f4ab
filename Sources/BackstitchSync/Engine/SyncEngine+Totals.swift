import Backstitch

extension SyncEngine {
    /// What a cycle has done so far.
    struct Totals: Sendable {
        private enum Change: Sendable { case inserted, updated, deleted }

        var summaryParts: SyncSummary
        var missingAssets = 0
        private var changes: [ObjectID: Change] = [:]

        init(reason: SyncReason) { summaryParts = SyncSummary(reason: reason) }

        mutating func add(_ applied: AppliedChanges) {
            summaryParts.received += applied.received
            summaryParts.conflicts += applied.conflicts
            summaryParts.merged += applied.merged
            summaryParts.parked += applied.parked
            summaryParts.blocked += applied.blocked
            add(applied.changes)
        }

        mutating func add(_ settled: SettledBatch) {
            summaryParts.sent += settled.sent
            summaryParts.blocked += settled.blocked
            summaryParts.conflicts += settled.news.conflicts
            summaryParts.parked += settled.news.parked
            add(settled.news.changes)
        }

        /// Complexity: O(*n*) in the number of `later`'s objects, however many there are already.
        private mutating func add(_ later: StoreChanges) {
            for id in later.inserted { changes[id] = changes[id] == .deleted ? .updated : .inserted }
            for id in later.updated where changes[id] != .inserted { changes[id] = .updated }
            for id in later.deleted {
                if changes[id] == .inserted { changes[id] = nil } else { changes[id] = .deleted }
            }
        }

        func progress(_ phase: SyncProgress.Phase, moreComing: Bool) -> SyncProgress {
            SyncProgress(
                phase: phase, received: summaryParts.received, sent: summaryParts.sent, moreComing: moreComing)
        }

        func summary() -> SyncSummary {
            var summary = summaryParts
            summary.missingAssets = missingAssets
            for (id, change) in changes {
                switch change {
                case .inserted: summary.inserted.append(id)
                case .updated: summary.updated.append(id)
                case .deleted: summary.deleted.append(id)
                }
            }
            summary.inserted.sort()
            summary.updated.sort()
            summary.deleted.sort()
            return summary
        }
    }
}
