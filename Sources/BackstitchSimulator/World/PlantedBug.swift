import CloudWire

/// Bugs that real systems have had: a simulator that does not find them finds nothing. The products have none of them;
/// each is a patch of its name in Tests/Mutants, and `make mutants` builds a copy with all of them, of which it turns
/// on one at a time.
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
    /// A record that refers to one that has not come yet is dropped.
    case droppedOrphans = "dropped orphans"
    /// An object that a full fetch does not find is sent again instead of removed.
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
    /// A push leaves before it is on the disk that it does, and a power cut takes back what the server has got.
    case unsyncedPushes = "pushes that leave before they are on the disk"
    /// A page or an answer is taken whatever another process on the store has done since it was asked for.
    case ignoredOthers = "answers taken after another process has synced"
    /// A guest's right is not looked at when a push is taken.
    case revokedWriter = "a push that lands without a right"
    /// A guest who leaves a zone keeps what was in it.
    case keptCopies = "copies that stay with who has left"
    /// An object that leaves what is shared with a guest stays in the guest's sight.
    case lastingSight = "a record that stays in sight after it left"
    /// An object that comes in another zone takes the place of what was edited here meanwhile.
    case lostByMove = "a move that loses edits"
    /// An object that nothing which is followed asks for any more stays.
    case keptDepartures = "a record that stays after it left what is followed"
    /// Where the server has no feed, it is asked for what was modified since, and not for a while before that.
    case noOverlap = "changes asked for without an overlap"
    /// With a new key the ones that it replaces are gone.
    case forgottenKey = "a rotated key is forgotten"

    /// The bug of a name, as commands take it.
    package init?(name: String) {
        guard let bug = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
        self = bug
    }

    /// The faults that must occur besides, to provoke the bug.
    private var provocations: Set<FaultKind> {
        switch self {
        case .tokenFirst, .acknowledgeFirst: [.crashes]
        case .noIdempotency, .notificationsOnly: [.weather]
        case .forgottenTombstones: [.partitions]
        case .unsyncedPushes: [.powerCuts]
        case .noOverlap: [.clocks]
        default: []
        }
    }

    /// Sees to it that the bug shows in a world of the plan, in a program that has it.
    package func provoke(in plan: inout WorldPlan) {
        plan.bug = self
        plan.faults.formUnion(provocations)
        // Of the rest of a world's work there is always some.
        plan.workloads.remove(.secrets)
        plan.leaveOutPublic()
        if [.droppedOrphans, .forgottenTombstones, .acknowledgeFirst, .noIdempotency, .unsyncedPushes].contains(self) {
            plan.workloads.insert(.churn)
        }
        // Only what the server has forgotten can be taken for something that it never had.
        if self == .resurrection { plan.workloads = [.sleepers] }
        // It shows only where two devices change one record at once.
        if self == .lateLock { plan.workloads = [.registers] }
        if self == .cutCommits {
            plan.workloads = [.bank]
            plan.limits = .extended
            plan.limits.page = 3
        }
        switch self {
        case .unsyncedPushes: plan.forgetsAtPowerCuts = true
        case .revokedWriter, .keptCopies:
            plan.makeShares()
            plan.makeZoneShares()
        case .lastingSight:
            plan.makeShares()
            plan.makeObjectShares()
        case .lostByMove: plan.makeZones()
        case .keptDepartures: plan.makePublic()
        case .noOverlap:
            plan.makePublic()
            plan.makePlain()
        case .forgottenKey: plan.workloads = [.secrets]
        case .ignoredOthers:
            plan.wantsSharing = true
            plan.workloads = [.churn]
            // Edits close to each other meet in conflicts, whose answers tell most.
            plan.longestWait = 200
            plan.actions = max(plan.actions, 30)
        default: break
        }
    }
}
