import BackstitchServer
import BackstitchSync
import CloudWire

/// Bugs that real systems have had, put in on purpose: a simulator that does not find them finds nothing.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// The feed goes by a sequence whose numbers are given before the commit. Here: a page lacks the newest commit, and
    /// its token counts it.
    case sequenceCursor = "a feed by sequence"
    /// The token is stored before what it stands for.
    case tokenFirst = "the token before the page"
    /// A push is acknowledged before its change tags are stored.
    case acknowledgeFirst = "the acknowledgement before the tags"
    /// The server keeps no answers, and carries out repeats.
    case noIdempotency = "no idempotency"
    /// What refers to something that has not come yet is dropped.
    case droppedOrphans = "dropped orphans"
    /// What a full fetch does not find is sent again instead of removed.
    case resurrection = "resurrection after a full fetch"
    /// An acknowledgement swallows what was edited during the push.
    case swallowedEdits = "edits during a push swallowed"
    /// A page ends in the middle of a commit.
    case cutCommits = "pages that cut commits"
    /// Only notifications begin a pull.
    case notificationsOnly = "notifications only"
    /// Change tags are compared outside the transaction.
    case lateLock = "tags compared outside the lock"
    /// Of doubled keys one reader takes the first and another the last.
    case doubledKeys = "doubled keys taken"
    /// Tombstones are removed although old tokens are still honoured.
    case forgottenTombstones = "tombstones forgotten"

    /// The bug of a name, as commands take it.
    package init?(name: String) {
        guard let bug = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
        self = bug
    }

    /// What must go wrong besides.
    private var provocations: Set<Nemesis> {
        switch self {
        case .tokenFirst, .acknowledgeFirst: [.crashes]
        case .noIdempotency, .notificationsOnly: [.weather]
        case .forgottenTombstones: [.partitions]
        default: []
        }
    }

    /// Puts the bug into a plan, and sees to it that what provokes it can happen.
    package func plant(in plan: inout WorldPlan) {
        plan.bug = self
        plan.nemeses.formUnion(provocations)
        if [.droppedOrphans, .forgottenTombstones, .acknowledgeFirst, .noIdempotency].contains(self) {
            plan.workloads.insert(.churn)
        }
        // Only what the server has forgotten can be taken for something that it never had.
        if self == .resurrection { plan.workloads = [.sleepers] }
        if self == .cutCommits {
            plan.workloads = [.bank]
            plan.limits = .extended
            plan.limits.page = 3
        }
        switch self {
        case .sequenceCursor: plan.serverFlaws.insert(.countsUnseenCommits)
        case .tokenFirst: plan.syncFlaws.insert(.storesTokenFirst)
        case .acknowledgeFirst: plan.syncFlaws.insert(.acknowledgesBeforeTag)
        // Else a repeat comes to nothing, since its sender cannot have read of the deletion.
        case .noIdempotency: plan.serverFlaws.formUnion([.forgetsAnswers, .takesAnyPosition])
        case .droppedOrphans: plan.syncFlaws.insert(.dropsOrphans)
        case .resurrection: plan.syncFlaws.insert(.resurrectsMissing)
        case .swallowedEdits: plan.syncFlaws.insert(.acknowledgesInFlightEdits)
        case .cutCommits: plan.serverFlaws.insert(.cutsCommits)
        case .notificationsOnly: plan.syncFlaws.insert(.trustsNotifications)
        case .lateLock: plan.serverFlaws.insert(.comparesBeforeLocking)
        case .doubledKeys: plan.serverFlaws.insert(.takesDoubledKeys)
        case .forgottenTombstones: plan.serverFlaws.insert(.forgetsTombstones)
        }
    }
}
