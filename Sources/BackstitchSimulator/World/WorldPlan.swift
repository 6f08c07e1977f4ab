import Backstitch
import BackstitchSQLite
package import BackstitchServer
package import BackstitchSync
import BackstitchTestKit
import CloudWire

/// What a seed makes of a world: who is in it, what they do, and what goes wrong.
package struct WorldPlan {
    /// The seed.
    package let seed: UInt64
    /// What the devices do.
    package var workloads: Set<WorkloadKind>
    /// How many devices there are.
    package var devices: Int
    /// How many things the devices and fate do before the world heals.
    package var actions: Int
    /// Who wins conflicts.
    package var policy: SimulatedPolicy
    /// What a request may hold.
    var limits: WireLimits
    /// Milliseconds that may pass before an effect begins, and before its outcome is told.
    var longestPause: Int64
    /// Milliseconds between two actions, at most.
    var longestWait: Int64
    /// What may go wrong.
    package var nemeses: Set<Nemesis>
    /// Whether the world is one of the small ones.
    private(set) var isSmall = false
    /// The bug that is planted in it.
    var bug: PlantedBug?
    /// Bugs on purpose in the devices.
    package var syncFlaws: SyncFlaws = []
    /// Bugs on purpose in the server.
    package var serverFlaws: ServerFlaws = []
    var engine = SyncEngine.Settings()

    /// The plan of a seed.
    package init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D)
        workloads = Self.some(WorkloadKind.allCases, &random)
        devices = Int.random(in: 2...3, using: &random)
        actions = Int.random(in: 12...48, using: &random)
        policy = SimulatedPolicy.allCases.randomElement(using: &random) ?? .serverWins
        nemeses = Self.some(Nemesis.allCases, &random)
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
    }

    /// The same in small, for builds without optimisation.
    package mutating func shrink() {
        isSmall = true
        actions = 8 + actions / 4
        devices = 2
    }

    private static func some<Element: Hashable>(
        _ all: [Element], _ random: inout SeededGenerator
    ) -> Set<Element> {
        let count = Int.random(in: 1...min(3, all.count), using: &random)
        return Set(all.shuffled(using: &random).prefix(count))
    }

    var options: [StoreOption: any Sendable] {
        [
            .syncServerURL: "http://127.0.0.1:8080", .syncPollInterval: 30.0, .syncRequestTimeout: 15.0,
            // What processes lose by dying is simulated, what machines lose by a loss of power is not.
            .sqliteSynchronous: "OFF", .sqliteFollowsOtherProcesses: false,
        ]
    }

    /// The entities whose objects come and go.
    var entities: Set<String> { Set(workloads.flatMap(\.entities)) }

    var resolver: any ConflictResolver { policy.resolver }

    /// The command that lives the world again, with its trace.
    package var command: String {
        "make simulate SEED=\(seed)\(isSmall ? " SMALL=1" : "")\(bug.map { " BUG=\($0)" } ?? "")"
    }

    /// The plan in a line.
    package var summary: String {
        "\(devices) devices, \(actions) actions, \(policy), \(workloads.map(\.rawValue).sorted()), "
            + "\(nemeses.map(\.rawValue).sorted()), page \(limits.page), batch \(limits.operations)"
    }
}

/// What goes wrong.
package enum Nemesis: String, CaseIterable, Sendable {
    /// The network loses, doubles, delays and garbles.
    case weather
    /// Nothing gets through, one way or both.
    case partitions
    /// Devices die, at any moment.
    case crashes
    /// The server stops and starts.
    case restarts
    /// Clocks jump, stand still and are wrong.
    case clocks
    /// The server invalidates all change tokens.
    case epochs
    /// Somebody deletes the zone.
    case zones
}

/// Who wins conflicts in a world.
package enum SimulatedPolicy: String, CaseIterable, Sendable {
    /// The server.
    case serverWins
    /// The device.
    case clientWins
    /// The larger value; the edit against the deletion.
    case largest

    var resolver: any ConflictResolver {
        switch self {
        case .serverWins: ConflictResolutionPolicy.serverWins
        case .clientWins: ConflictResolutionPolicy.clientWins
        case .largest: LargestWins()
        }
    }
}

/// The larger value wins, so that devices agree without regard to the order of their pushes.
private struct LargestWins: ConflictResolver {
    func decide(of entity: ResolvedEntity, _ conflict: () -> ConflictToResolve) -> ConflictDecision {
        let conflict = conflict()
        guard conflict.kind == .edits else {
            return .winner(conflict.kind == .editedHereDeletedThere ? .client : .server)
        }
        var choices: [String: ConflictChoice] = [:]
        for key in conflict.keys {
            let mine = conflict.local[key]?.summary ?? "", theirs = conflict.server[key]?.summary ?? ""
            choices[key] = .side(mine < theirs ? .server : .client)
        }
        return .winner(.server, choices: choices)
    }
}
