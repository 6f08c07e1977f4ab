import Backstitch
import BackstitchSQLite
import BackstitchSync
import BackstitchTestKit
import CloudWire

/// The plan of a world, made from a seed: its devices, their work, and the faults.
package struct WorldPlan {
    /// The seed of all choices.
    package let seed: UInt64
    /// The kinds of work on the devices.
    package var workloads: Set<WorkloadKind>
    /// The number of devices.
    package var devices: Int
    /// The number of actions and faults before the world heals.
    package var actions: Int
    /// The policy that decides conflicts.
    package var policy: SimulatedPolicy
    /// The server's limits for requests.
    var limits: WireLimits
    /// The longest pause before an effect begins, and before its outcome is told, in milliseconds.
    var longestPause: Int64
    /// The longest wait between two actions, in milliseconds.
    var longestWait: Int64
    /// The kinds of faults that may occur.
    package var faults: Set<FaultKind>
    /// Whether a second process should open the first device's store. Then one may be suspended while the other leads.
    package var wantsSharing = false
    /// Whether the stores of devices run under `NORMAL`. Then a power cut takes back commits that were not synced.
    package var forgetsAtPowerCuts = false
    /// Whether the world is one of the small ones.
    private(set) var isSmall = false
    /// The planted bug of the program. Its worlds must show it.
    var bug: PlantedBug?
    var engine = SyncEngine.Settings()
    /// The behaviour of a plain server; nil for this project's server.
    private(set) var plain: PlainBehavior?

    /// The number of servers on the one storage.
    private(set) var servers = 1
    /// Whether the world has further zones.
    private(set) var hasZones = false
    /// The number of other users with a share of the zone, each with a device.
    private(set) var guests = 0
    /// Whether the shared zone has its own keys, sealed for each guest. Otherwise guests get the owner's keys.
    private(set) var sharesKeys = false
    /// The users of the devices with a store of the public database. These devices are additional.
    private(set) var publicUsers: [String] = []
    /// Whether every user may change public records, not only their creator.
    private(set) var everybodyWrites = false
    /// Whether that changes in the course of the world.
    private(set) var changesPublicRights = false
    /// Whether single objects are shared with guests, and not the zone.
    private(set) var sharesObjects = false
    /// A further zone that is shared as a whole beside those objects; nil if there is none.
    private(set) var gallery: String?

    /// Makes the plan of a seed.
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
            // A transfer is two records. Cut in two, it would be no transfer.
            if !workloads.contains(.bank) { limits.operations = Int.random(in: 1...4, using: &random) }
        }
        longestPause = Int64.random(in: 0...60, using: &random)
        longestWait = [200, 2_000, 8_000].randomElement(using: &random) ?? 2_000
        engine.stepRetries = Int.random(in: 0...2, using: &random)
        wantsSharing = Int.random(in: 0..<4, using: &random) == 0
        // As often as each of the other faults.
        if Int.random(in: 0..<7, using: &random) < 2 { faults.insert(.powerCuts) }
        forgetsAtPowerCuts = Int.random(in: 0..<4, using: &random) > 0
        // This generator is a separate one, so that the plans of other worlds stay the same.
        var chance = SeededGenerator(seed: seed &* 0xA076_1D64_78BD_642F)
        if Int.random(in: 0..<4, using: &chance) == 0, !workloads.contains(.versions) { makeSecrets() }
        if Int.random(in: 0..<8, using: &chance) == 0 { makePublic() }
    }

    /// Whether the model has encrypted attributes.
    var hasSecrets: Bool { workloads.contains(.secrets) }

    /// The model version of a device's program.
    func modelVersion(ofDevice number: Int) -> Int {
        if hasSecrets { return 3 }
        return workloads.contains(.versions) ? number % 2 + 1 : 1
    }

    /// Whether a second process opens the first device's store. Not in worlds where programs of two versions meet, or a
    /// device is switched off.
    var sharesStore: Bool { wantsSharing && workloads.isDisjoint(with: [.versions, .sleepers]) }

    /// The seed of the second process on a store. The private and the public one must differ. With equal seeds, both
    /// could make an object in the same millisecond with the same key, and the ledger would confuse the private object
    /// with the public one.
    package func seedOfSecondProcess(isPublic: Bool) -> UInt64 { seed &+ (isPublic ? 0x7EC1 : 0x5EC0) }

    /// Whether a power cut takes back commits that a device has not synced.
    var losesCommits: Bool { forgetsAtPowerCuts && faults.contains(.powerCuts) }

    /// Makes the world smaller, for builds without optimisation.
    package mutating func shrink() {
        isSmall = true
        actions = 8 + actions / 4
        devices = 2
    }

    /// Replaces the server by a plain one, with a behaviour chosen by the seed. The world then has neither transfers
    /// nor photos: its pages cut commits, and its asset checksums differ from those of the sending device.
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

    /// Replaces the one server by three of one storage. Servers agree about asset content by locks of their database. A
    /// world's database has no such locks, so there are no photos.
    package mutating func makeSeveralServers() {
        servers = 3
        workloads.remove(.photos)
        if workloads.isEmpty { workloads = [.churn, .registers] }
        faults.insert(.restarts)
    }

    /// Lets devices make further zones, and put objects into them. Programs of two versions and photos are left out:
    /// they have enough to test already.
    package mutating func makeZones() {
        hasZones = true
        workloads.subtract([.versions, .photos])
        workloads.insert(.rooms)
        actions += actions / 2
    }

    /// Shares the zone with one or two other users. Their rights change, and they leave and return. Most workloads are
    /// left out, because changes reverted for want of a right break their rules. The deletion of zones is left out,
    /// because the share is deleted with its zone. Call this after ``makeZones()`` in worlds with several zones.
    package mutating func makeShares() {
        var random = SeededGenerator(seed: seed &* 0xD134_2543_DE82_EF95)
        guests = Int.random(in: 1...2, using: &random)
        workloads = workloads.intersection([.secrets, .rooms]).union([.churn])
        faults.remove(.zones)
        actions += actions / 2
        // With several zones, objects move out of the shared zone and into it, or out of shared objects.
        if Bool.random(using: &random) { makeObjectShares() }
        if sharesObjects, hasZones, Bool.random(using: &random) { gallery = "gallery" }
        // Single objects have no keys of their own, and a plain server keeps no public keys of users.
        sharesKeys = hasSecrets && !sharesObjects && plain == nil && Bool.random(using: &random)
    }

    /// Shares single objects instead of the zone. Objects move below shared ones and away, while shares begin and end.
    mutating func makeObjectShares() {
        sharesObjects = true
        workloads = workloads.intersection([.secrets, .rooms]).union([.shelves])
    }

    /// Shares the whole zone with the guests, for any seed.
    mutating func makeZoneShares() {
        (sharesObjects, gallery) = (false, nil)
        workloads = workloads.intersection([.secrets, .rooms]).union([.churn])
    }

    /// Adds encrypted attributes, whose keys are replaced and arrive late. Programs of two versions have no such
    /// attributes.
    package mutating func makeSecrets() {
        workloads.remove(.versions)
        workloads.insert(.secrets)
    }

    /// Adds three or four devices that publish objects, change them, and follow the objects of others. The first two
    /// belong to one user. In half of the worlds the right to change others' objects is given and taken.
    package mutating func makePublic() {
        guard publicUsers.isEmpty else { return }
        var random = SeededGenerator(seed: seed &* 0xE703_7ED1_A0B4_28DB)
        publicUsers = ["ann", "ann", "bob", "cat"].dropLast(Int.random(in: 0...1, using: &random))
        everybodyWrites = Int.random(in: 0..<4, using: &random) == 0
        plain?.everybodyWrites = everybodyWrites
        changesPublicRights = Bool.random(using: &random)
    }

    /// Leaves out public data, for any seed.
    mutating func leaveOutPublic() { (publicUsers, changesPublicRights) = ([], false) }

    /// The number of all actions. Public users add half as many again.
    var allActions: Int { actions + (publicUsers.isEmpty ? 0 : actions / 2) }

    /// The zone that is shared as a whole, by its name on the server. Without further zones it is the main one.
    var wholeZone: String { gallery.map { "\(SimulatedServer.zone).\($0)" } ?? SimulatedServer.zone }

    /// The names of the further zones that devices make.
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
            // The deaths of processes and machines are simulated.
            .sqliteSynchronous: "OFF", .sqliteFollowsOtherProcesses: false,
        ]
    }

    /// The entities whose objects are made and deleted in the main zone, and move nowhere.
    var entities: Set<String> {
        let all = Set(workloads.flatMap(\.entities))
        return hasZones ? all.subtracting(WorkloadKind.shelves.entities) : all
    }

    var resolver: any ConflictResolver { policy.resolver }

    /// The command that runs the world again, with its trace.
    package var command: String {
        let kind =
            (plain == nil ? "" : " PLAIN=1") + (servers == 1 ? "" : " SERVERS=1")
            + (hasZones ? " ZONES=1" : "") + (guests > 0 ? " SHARES=1" : "") + (hasSecrets ? " SECRETS=1" : "")
            + (publicUsers.isEmpty ? "" : " PUBLIC=1")
        return "make simulate SEED=\(seed)\(isSmall ? " SMALL=1" : "")\(kind)\(bug.map { " BUG=\($0)" } ?? "")"
    }

    /// The plan in one line.
    package var summary: String {
        "\(devices) devices\(sharesStore ? " and a second process" : ""), \(allActions) actions, "
            + "\(policy), \(workloads.map(\.rawValue).sorted()), "
            + "\(faults.map(\.rawValue).sorted())\(losesCommits ? " under NORMAL" : ""), page \(limits.page), "
            + "batch \(limits.operations)"
            + (plain.map { "; a plain server: \($0)" } ?? "") + (servers == 1 ? "" : "; \(servers) servers")
            + (hasZones ? "; several zones" : "")
            + (guests > 0 ? "; \(sharesObjects ? "objects are " : "")shared with \(guests)" : "")
            + (gallery == nil ? "" : ", and a further zone is")
            + (sharesKeys ? "; with keys of its own" : "")
            + publicSummary
    }

    private var publicSummary: String {
        guard !publicUsers.isEmpty else { return "" }
        return "; public data of \(publicUsers)" + (everybodyWrites ? ", which all may change" : "")
            + (changesPublicRights ? ", with rights that change" : "")
    }
}
