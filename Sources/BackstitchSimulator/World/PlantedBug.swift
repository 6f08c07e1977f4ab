import CloudWire

/// Bugs of real systems, planted to test the simulator: it must find them. The products have none of them. Each is a
/// patch of its name in Tests/Mutants. `make mutants` builds one copy with all of them, and turns on one at a time.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// The feed uses a sequence whose numbers are given before the commit. Here a page lacks the newest commit, while
    /// its token counts it.
    case sequenceCursor = "a feed by sequence"
    /// The token is stored before the page that belongs to it.
    case tokenFirst = "the token before the page"
    /// A push is acknowledged before its change tags are stored.
    case acknowledgeFirst = "the acknowledgement before the tags"
    /// The server keeps no answers, and carries out repeats.
    case noIdempotency = "no idempotency"
    /// A record with a reference to a missing record is dropped.
    case droppedOrphans = "dropped orphans"
    /// An object that a full fetch does not find is sent again instead of removed.
    case resurrection = "resurrection after a full fetch"
    /// An acknowledgement removes edits made during the push.
    case swallowedEdits = "edits during a push swallowed"
    /// A page ends in the middle of a commit.
    case cutCommits = "pages that cut commits"
    /// Only notifications begin a pull.
    case notificationsOnly = "notifications only"
    /// Change tags are compared outside the transaction.
    case lateLock = "tags compared outside the lock"
    /// For a doubled JSON key, one reader takes the first value and another the last.
    case doubledKeys = "doubled keys taken"
    /// Tombstones are removed although old tokens are still honoured.
    case forgottenTombstones = "tombstones forgotten"
    /// A push is sent before its record is safely on the disk. Then a power cut takes back changes that the server has.
    case unsyncedPushes = "pushes that leave before they are on the disk"
    /// A page or an answer is taken even if another process on the store has changed the state since the request.
    case ignoredOthers = "answers taken after another process has synced"
    /// The right of a guest is not checked when a push is taken.
    case revokedWriter = "a push that lands without a right"
    /// A guest who leaves a zone keeps its content.
    case keptCopies = "copies that stay with who has left"
    /// An object that leaves a share stays in the guest's sight.
    case lastingSight = "a record that stays in sight after it left"
    /// An object that arrives in another zone replaces local edits.
    case lostByMove = "a move that loses edits"
    /// An object stays after it no longer matches any followed part.
    case keptDepartures = "a record that stays after it left what is followed"
    /// From a server without a feed, a device asks for changes since the last time, without an overlap before that
    /// time.
    case noOverlap = "changes asked for without an overlap"
    /// A new key removes the keys that it replaces.
    case forgottenKey = "a rotated key is forgotten"

    /// Finds a bug by its name in commands.
    package init?(name: String) {
        guard let bug = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
        self = bug
    }

    /// The additional faults that provoke the bug.
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

    /// Changes the plan so that the bug shows, if the program has it.
    package func provoke(in plan: inout WorldPlan) {
        plan.bug = self
        plan.faults.formUnion(provocations)
        // The other work is always part of some worlds.
        plan.workloads.remove(.secrets)
        plan.leaveOutPublic()
        if [.droppedOrphans, .forgottenTombstones, .acknowledgeFirst, .noIdempotency, .unsyncedPushes].contains(self) {
            plan.workloads.insert(.churn)
        }
        // Only a deletion forgotten by the server can look like an object that the server never had.
        if self == .resurrection { plan.workloads = [.sleepers] }
        // It shows only when two devices change one record at once.
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
            // Edits close to each other meet in conflicts. The answers to these tell most.
            plan.longestWait = 200
            plan.actions = max(plan.actions, 30)
        default: break
        }
    }
}
