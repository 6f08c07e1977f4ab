import Backstitch

extension SyncEngine {
    /// The results so far of one cycle or several cycles.
    struct Totals: Sendable {
        private enum Change: Sendable { case inserted, updated, deleted }
        /// The longest lists of cycles that no caller asked for.
        static let longestList = 100_000

        var summaryParts: SyncSummary
        var missingAssets = 0
        var recordsLeft = RecordsLeft()
        private var changes: [ObjectID: Change] = [:]

        init(reason: SyncReason) { summaryParts = SyncSummary(reason: reason) }

        mutating func add(_ applied: AppliedChanges) {
            summaryParts.received += applied.received - applied.echoed
            summaryParts.conflicts += applied.conflicts
            summaryParts.merged += applied.merged
            summaryParts.parked += applied.parked
            summaryParts.blocked += applied.blocked
            summaryParts.reverted += applied.reverted
            add(applied.changes)
        }

        mutating func add(_ settled: SettledBatch) {
            summaryParts.sent += settled.sent
            summaryParts.blocked += settled.blocked
            summaryParts.conflicts += settled.news.conflicts
            summaryParts.parked += settled.news.parked
            summaryParts.reverted += settled.news.reverted
            add(settled.news.changes)
        }

        /// Adds the results of a cycle.
        ///
        /// - Parameter isAsked: Whether a caller waits for it. Otherwise the lists end at ``longestList``, and only the
        ///   counts grow.
        mutating func add(_ later: SyncSummary, isAsked: Bool) {
            summaryParts.reason = later.reason
            summaryParts.received += later.received
            summaryParts.sent += later.sent
            summaryParts.deferred = later.deferred
            missingAssets = later.missingAssets
            summaryParts.isCutShort =
                summaryParts.isCutShort || later.isCutShort || !isAsked && wouldBeTooLong(with: later)
            guard isAsked || !summaryParts.isCutShort else { return }
            summaryParts.conflicts += later.conflicts
            summaryParts.merged += later.merged
            summaryParts.parked += later.parked
            summaryParts.blocked += later.blocked
            summaryParts.reverted += later.reverted
            add(later.changes)
        }

        private func wouldBeTooLong(with later: SyncSummary) -> Bool {
            let counts = [
                changes.count + later.inserted.count + later.updated.count + later.deleted.count,
                summaryParts.conflicts.count + later.conflicts.count, summaryParts.merged.count + later.merged.count,
                summaryParts.parked.count + later.parked.count, summaryParts.blocked.count + later.blocked.count,
                summaryParts.reverted.count + later.reverted.count,
            ]
            return counts.contains { $0 > Self.longestList }
        }

        /// Complexity: O(*n*) in the number of `later`'s objects, independent of the objects before.
        private mutating func add(_ later: StoreChanges) {
            for id in later.inserted { changes[id] = changes[id] == .deleted ? .updated : .inserted }
            for id in later.updated where changes[id] != .inserted { changes[id] = .updated }
            for id in later.deleted {
                if changes[id] == .inserted { changes[id] = nil } else { changes[id] = .deleted }
            }
        }

        /// Whether the summary has any content.
        var isWorthTelling: Bool {
            !changes.isEmpty || summaryParts != SyncSummary(reason: summaryParts.reason)
        }

        /// Whether the server has taken changes, or objects have changed here. Deferred changes may then succeed.
        var hasProgress: Bool { summaryParts.sent > 0 || !changes.isEmpty }

        func progress(_ phase: SyncProgress.Phase, moreComing: Bool) -> SyncProgress {
            var progress = SyncProgress(
                phase: phase, received: summaryParts.received, sent: summaryParts.sent, moreComing: moreComing)
            progress.recordsLeft = recordsLeft.count(moreComing: moreComing)
            return progress
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
