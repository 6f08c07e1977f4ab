import Backstitch
import BackstitchSQLite
import BackstitchSync
import BackstitchTestKit
import CloudWire

/// The plan that a seed makes of a world: the devices in it, what they do, and what goes wrong.
package struct WorldPlan {
    /// The seed.
    package let seed: UInt64
    /// The kinds of work that the devices do.
    package var workloads: Set<WorkloadKind>
    /// How many devices there are.
    package var devices: Int
    /// How many things the devices and fate do before the world heals.
    package var actions: Int
    /// The policy that decides conflicts.
    package var policy: SimulatedPolicy
    /// The limits of requests.
    var limits: WireLimits
    /// Milliseconds that may pass before an effect begins, and before its outcome is told.
    var longestPause: Int64
    /// Milliseconds between two actions, at most.
    var longestWait: Int64
    /// The kinds of faults that may occur.
    package var faults: Set<FaultKind>
    /// Whether a second process shall have the first device's store open. Then one may stand still while the other
    /// leads.
    package var wantsSharing = false
    /// Whether the stores of devices are under `NORMAL`, so that a power cut takes back what was not synced.
    package var forgetsAtPowerCuts = false
    /// Whether the world is one of the small ones.
    private(set) var isSmall = false
    /// The bug that the program has, and that its worlds are to show.
    var bug: PlantedBug?
    var engine = SyncEngine.Settings()
    /// How the server behaves when it is one that knows nothing of this project; nil for ours.
    private(set) var plain: PlainBehavior?

    /// How many servers there are, all of one storage.
    private(set) var servers = 1
    /// Whether there are zones beside the main one.
    private(set) var hasZones = false
    /// How many other users the zone is shared with, each with a device.
    private(set) var guests = 0
    /// Whether the zone that is shared has keys of its own, sealed for each guest; else guests are given the owner's.
    private(set) var sharesKeys = false
    /// The users of the devices that have a store of the public database, beside those of the zone.
    private(set) var publicUsers: [String] = []
    /// Whether everybody may change what anybody has published, and not its maker alone.
    private(set) var everybodyWrites = false
    /// Whether single objects are shared with them, and not the zone.
    private(set) var sharesObjects = false

    /// The plan of a seed.
    package init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D)
        workloads = Self.some(WorkloadKind.usual, &random)
        devices = Int.random(in: 2...3, using: &random)
        actions = Int.random(in: 12...48, using: &random)
        policy = SimulatedPolicy.allCases.randomElement(using: &random) ?? .serverWins
        faults = Self.some(FaultKind.allCases.filter { $0 != .powerCuts }, &random)
        let isNarrow = Bool.random(using: &random)
        limits = .extended
        if isNarrow {
            limits.page = Int.random(in: 2...6, using: &random)
            // A transfer is two records, and cut in two it would be no transfer.
            if !workloads.contains(.bank) { limits.operations = Int.random(in: 1...4, using: &random) }
        }
        longestPause = Int64.random(in: 0...60, using: &random)
        longestWait = [200, 2_000, 8_000].randomElement(using: &random) ?? 2_000
        engine.stepRetries = Int.random(in: 0...2, using: &random)
        wantsSharing = Int.random(in: 0..<4, using: &random) == 0
        // As often as each of the others.
        if Int.random(in: 0..<7, using: &random) < 2 { faults.insert(.powerCuts) }
        forgetsAtPowerCuts = Int.random(in: 0..<4, using: &random) > 0
        // Of a generator of its own, so that the other worlds are what they were without it.
        var chance = SeededGenerator(seed: seed &* 0xA076_1D64_78BD_642F)
        if Int.random(in: 0..<4, using: &chance) == 0, !workloads.contains(.versions) { makeSecrets() }
        if Int.random(in: 0..<8, using: &chance) == 0 { makePublic() }
    }

    /// Whether there are encrypted attributes.
    var hasSecrets: Bool { workloads.contains(.secrets) }

    /// The version of the model that a device's program has.
    func modelVersion(ofDevice number: Int) -> Int {
        if hasSecrets { return 3 }
        return workloads.contains(.versions) ? number % 2 + 1 : 1
    }

    /// Whether a second process has the first device's store open. Not where programs of two versions meet, or a device
    /// is put away.
    var sharesStore: Bool { wantsSharing && workloads.isDisjoint(with: [.versions, .sleepers]) }

    /// The seed of the second process on a store. Two of one seed make objects of one key where both make one in the
    /// same millisecond, and the ledger takes what is public and what is not for one object then.
    package func seedOfSecondProcess(isPublic: Bool) -> UInt64 { seed &+ (isPublic ? 0x7EC1 : 0x5EC0) }

    /// Whether a power cut takes back what a device has not synced.
    var losesCommits: Bool { forgetsAtPowerCuts && faults.contains(.powerCuts) }

    /// The same in small, for builds without optimisation.
    package mutating func shrink() {
        isSmall = true
        actions = 8 + actions / 4
        devices = 2
    }

    /// Puts a plain server in the place of ours, which leaves open what the seed decides. Its pages cut commits, and
    /// its checksums of assets differ from those of the device that has sent them; so there are neither transfers nor
    /// photos.
    package mutating func makePlain() {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15)
        var behavior = PlainBehavior()
        behavior.saysExists = Bool.random(using: &random)
        behavior.failsWhole = Bool.random(using: &random)
        behavior.sendsEmptyPages = Bool.random(using: &random)
        behavior.leavesOutLists = Bool.random(using: &random)
        behavior.shufflesResults = Bool.random(using: &random)
        behavior.tellsOldDeletions = Bool.random(using: &random)
        behavior.hasSubscriptions = Int.random(in: 0..<4, using: &random) > 0
        behavior.forgetsNotificationInfo = Int.random(in: 0..<4, using: &random) == 0
        behavior.everybodyWrites = everybodyWrites
        behavior.page = min(limits.page, 200)
        behavior.operations = min(limits.operations, 200)
        workloads.subtract([.bank, .photos])
        if workloads.isEmpty { workloads = [.churn, .registers] }
        plain = behavior
    }

    /// Puts three servers of one storage in the place of one. They agree about content of assets by locks of their
    /// database, which the one of worlds does not have; so there are no photos.
    package mutating func makeSeveralServers() {
        servers = 3
        workloads.remove(.photos)
        if workloads.isEmpty { workloads = [.churn, .registers] }
        faults.insert(.restarts)
    }

    /// Has devices make zones beside the main one, and put objects into them. Programs of two versions have photos and
    /// notes to bring up to date; that is enough for them.
    package mutating func makeZones() {
        hasZones = true
        workloads.subtract([.versions, .photos])
        workloads.insert(.rooms)
        actions += actions / 2
    }

    /// Has the owner of the zone share it with one or two others, whose rights change, who leave and come back. What is
    /// taken back for want of a right breaks the rules of most workloads, and the share goes with its zone. After
    /// ``makeZones()``, where there are several.
    package mutating func makeShares() {
        var random = SeededGenerator(seed: seed &* 0xD134_2543_DE82_EF95)
        guests = Int.random(in: 1...2, using: &random)
        workloads = workloads.intersection([.secrets, .rooms]).union([.churn])
        faults.remove(.zones)
        actions += actions / 2
        // With several zones, rooms move out of the one that is shared and into it.
        if !hasZones, Bool.random(using: &random) { makeObjectShares() }
        // Single objects have no keys of their own, and a plain server keeps no public keys of people.
        sharesKeys = hasSecrets && !sharesObjects && plain == nil && Bool.random(using: &random)
    }

    /// Has the owner share single objects with them instead, which come below shared ones and are taken away, while
    /// shares begin and end.
    mutating func makeObjectShares() {
        sharesObjects = true
        workloads = workloads.intersection([.secrets]).union([.shelves])
    }

    /// Has the owner share the zone with them, whatever the seed says.
    mutating func makeZoneShares() {
        sharesObjects = false
        workloads = workloads.intersection([.secrets]).union([.churn])
    }

    /// Has programs with encrypted attributes, whose keys are replaced and come late. Programs of two versions have no
    /// such attributes.
    package mutating func makeSecrets() {
        workloads.remove(.versions)
        workloads.insert(.secrets)
    }

    /// Has three devices or four publish objects, change them, and follow what others publish. The first two are one
    /// user's.
    package mutating func makePublic() {
        guard publicUsers.isEmpty else { return }
        var random = SeededGenerator(seed: seed &* 0xE703_7ED1_A0B4_28DB)
        publicUsers = ["ann", "ann", "bob", "cat"].dropLast(Int.random(in: 0...1, using: &random))
        everybodyWrites = Int.random(in: 0..<4, using: &random) == 0
        plain?.everybodyWrites = everybodyWrites
    }

    /// Has nobody publish anything, whatever the seed says.
    mutating func leaveOutPublic() { publicUsers = [] }

    /// How many things happen in all: those who publish do as much again as half of the others.
    var allActions: Int { actions + (publicUsers.isEmpty ? 0 : actions / 2) }

    /// The names of zones that devices make.
    static let furtherZones = ["attic", "barn", "cellar"]

    private static func some<Element: Hashable>(
        _ all: [Element], _ random: inout SeededGenerator
    ) -> Set<Element> {
        let count = Int.random(in: 1...min(3, all.count), using: &random)
        return Set(all.shuffled(using: &random).prefix(count))
    }

    var options: [StoreOption: any Sendable] {
        [
            .syncServerURL: "http://127.0.0.1:8080", .syncPollInterval: 30.0, .syncRequestTimeout: 15.0,
            // Losses of processes and machines are simulated.
            .sqliteSynchronous: "OFF", .sqliteFollowsOtherProcesses: false,
        ]
    }

    /// The entities whose objects come and go.
    var entities: Set<String> { Set(workloads.flatMap(\.entities)) }

    var resolver: any ConflictResolver { policy.resolver }

    /// The command that lives the world again, with its trace.
    package var command: String {
        let kind =
            (plain == nil ? "" : " PLAIN=1") + (servers == 1 ? "" : " SERVERS=1")
            + (hasZones ? " ZONES=1" : "") + (guests > 0 ? " SHARES=1" : "") + (hasSecrets ? " SECRETS=1" : "")
            + (publicUsers.isEmpty ? "" : " PUBLIC=1")
        return "make simulate SEED=\(seed)\(isSmall ? " SMALL=1" : "")\(kind)\(bug.map { " BUG=\($0)" } ?? "")"
    }

    /// The plan in a line.
    package var summary: String {
        "\(devices) devices\(sharesStore ? " and a second process" : ""), \(allActions) actions, "
            + "\(policy), \(workloads.map(\.rawValue).sorted()), "
            + "\(faults.map(\.rawValue).sorted())\(losesCommits ? " under NORMAL" : ""), page \(limits.page), batch \(limits.operations)"
            + (plain.map { "; a plain server: \($0)" } ?? "") + (servers == 1 ? "" : "; \(servers) servers")
            + (hasZones ? "; several zones" : "")
            + (guests > 0 ? "; \(sharesObjects ? "objects are " : "")shared with \(guests)" : "")
            + (sharesKeys ? "; with keys of its own" : "")
            + (publicUsers.isEmpty
                ? "" : "; public data of \(publicUsers)\(everybodyWrites ? ", which all may change" : "")")
    }
}
