import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// Two processes on one store, and two more devices with stores of their own, each with a user at work. Connections are
/// cut and late, answers are lost, processes and the servers are killed. In the end all devices agree, and every
/// promise is kept.
///
/// `BACKSTITCH_STORMS` asks for more than one run of each cast, `BACKSTITCH_STORM_SECONDS` for longer ones, and
/// `BACKSTITCH_STORMS_AT_ONCE` for several at a time; `make users` has the ten users work for a minute.
@Suite("processes share a store and are killed", .serialized)
struct SharedKillTests {
    @Test("all replicas agree, and no acknowledged save is lost", arguments: [SyncBacking.sqlite, .postgreSQL])
    func storms(_ backing: SyncBacking) async throws { try await storms(.household(backing), nodes: 1) }

    @Test("nor is any where the server is three processes on one database, which crashes too")
    func nodes() async throws { try await storms(.household(.sqlite), nodes: 3) }

    @Test("nor is any of ten users' who work on one list that one of them shares")
    func list() async throws { try await storms(.list(users: 10), nodes: 1) }

    private func storms(_ cast: Storm.Cast, nodes: Int) async throws {
        let runs = Effort.size("STORMS", usual: 1, whole: 2)
        let seconds = Effort.size("STORM_SECONDS", usual: 4, whole: 10)
        let first = Int(Effort.seed ?? 1), width = Effort.size("STORMS_AT_ONCE", usual: 1, whole: 1)
        var wrong = 0, saves = 0, kills = 0, serverKills = 0, cuts = 0
        for start in stride(from: first, to: first + runs, by: width) {
            let seeds = start..<min(start + width, first + runs)
            let reports = try await withThrowingTaskGroup(of: Storm.Report.self) { group in
                for seed in seeds {
                    group.addTask {
                        try await Storm.run(seed: UInt64(seed), cast, nodes: nodes, seconds: Double(seconds))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for report in reports {
                #expect(report.faults.isEmpty, "seed \(report.seed) of \(cast), \(report.policy)")
                if !report.faults.isEmpty { wrong += 1 }
                saves += report.saves
                kills += report.kills
                serverKills += report.serverKills
                cuts += report.cuts
                print(
                    "storm: \(cast), \(nodes) servers, seed \(report.seed) \(report.policy): \(report.saves) saves, \(report.faults)"
                )
            }
        }
        #expect(saves > 0 && kills + serverKills > 0 && cuts > 0, "a calm in place of a storm")
        print(
            "counted: storms of \(cast), \(nodes) servers: \(runs) runs of \(seconds) s, \(saves) saves, \(kills) kills of "
                + "devices, \(serverKills) of servers, \(cuts) connections cut, \(wrong) wrong")
    }
}
