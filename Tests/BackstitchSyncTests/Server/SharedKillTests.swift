import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// Two processes on one store and two more devices with stores of their own, each with a user at work; connections are
/// cut and late, answers are lost, processes and the servers are killed. In the end everybody has the same, and all
/// that was promised.
///
/// `BACKSTITCH_STORMS` asks for more than one run on each database, `BACKSTITCH_STORM_SECONDS` for longer ones, and
/// `BACKSTITCH_STORMS_AT_ONCE` for several at a time.
@Suite("processes share a store and are killed", .serialized)
struct SharedKillTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("all replicas agree, and no acknowledged save is lost", arguments: [SyncBacking.sqlite, .postgreSQL])
    func storms(_ backing: SyncBacking) async throws { try await storms(backing, nodes: 1) }

    @Test("nor is any where the server is three processes on one database, which crashes too")
    func nodes() async throws { try await storms(.sqlite, nodes: 3) }

    private func storms(_ backing: SyncBacking, nodes: Int) async throws {
        let runs = Self.number("BACKSTITCH_STORMS") ?? 1, seconds = Self.number("BACKSTITCH_STORM_SECONDS") ?? 5
        let first = Self.number("BACKSTITCH_SEED") ?? 1, width = Self.number("BACKSTITCH_STORMS_AT_ONCE") ?? 1
        var wrong = 0, saves = 0
        for start in stride(from: first, to: first + runs, by: width) {
            let seeds = start..<min(start + width, first + runs)
            let reports = try await withThrowingTaskGroup(of: Storm.Report.self) { group in
                for seed in seeds {
                    group.addTask {
                        try await Storm.run(seed: UInt64(seed), on: backing, nodes: nodes, seconds: Double(seconds))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for report in reports {
                #expect(report.faults.isEmpty, "seed \(report.seed) on \(backing.rawValue), \(report.policy)")
                if !report.faults.isEmpty { wrong += 1 }
                saves += report.saves
                print(
                    "storm: \(backing.rawValue), \(nodes) servers, seed \(report.seed) \(report.policy): \(report.saves) saves, \(report.faults)"
                )
            }
        }
        print(
            "counted: storms on \(backing.rawValue), \(nodes) servers: \(runs) runs of \(seconds) s, \(saves) saves, \(wrong) wrong"
        )
    }
}

/// One run.
// Each of its parts is used by one task at a time.
private final class Storm: @unchecked Sendable {
    struct Report: Sendable {
        var seed: UInt64
        var policy: String
        var saves: Int
        var faults: [String]
    }

    /// A user and the process that he works with.
    private final class Player {
        let name: String
        let place: String
        var process: TestProcess?
        var reader: Task<Void, any Error>?

        init(_ name: String, at place: String) {
            self.name = name
            self.place = place
        }
    }

    private let seed: UInt64
    private let backing: SyncBacking
    private let policy: String
    private let folder: URL
    private let schema: String
    private let proxy: LossyProxy
    private var random: SeededGenerator
    private let servers: StormServers
    private var players: [Player] = []
    private let ledger = Locked(WorkLedger())

    static func run(seed: UInt64, on backing: SyncBacking, nodes: Int, seconds: Double) async throws -> Report {
        let storm = try await Storm(seed, backing, nodes)
        do {
            let report = try await storm.live(seconds)
            await storm.end()
            return report
        } catch {
            await storm.end()
            throw error
        }
    }

    private init(_ seed: UInt64, _ backing: SyncBacking, _ nodes: Int) async throws {
        self.seed = seed
        self.backing = backing
        policy = seed % 2 == 0 ? "serverWins" : "clientWins"
        random = SeededGenerator(seed: seed)
        let name = ObjectIDGenerator().next().uuidString
        schema = "storm-\(name.lowercased())"
        folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-storm-\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        proxy = try LossyProxy(seed: seed)
        servers = try await StormServers(nodes, in: folder.appending(path: "server"))
        proxy.lead(to: servers.ports)
        var shared = folder.appending(path: "shared").path
        if backing == .postgreSQL { shared = try await onThread { try PostgresServer.shared.get().url.absoluteString } }
        players = [
            Player("P", at: shared), Player("Q", at: shared), Player("C", at: folder.appending(path: "C").path),
            Player("D", at: folder.appending(path: "D").path),
        ]
    }

    private func live(_ seconds: Double) async throws -> Report {
        for player in players { try await start(player) }
        guard let first = players[0].process else { return report([]) }
        _ = try await first.ask("tags red green blue")
        for player in players { try work(player) }
        proxy.setRough(true)
        let clock = ContinuousClock(), end = clock.now + .seconds(seconds)
        while clock.now < end {
            try await Task.sleep(for: .milliseconds(200 + Int(random.next() % 1_000)))
            try await strike()
        }
        proxy.setRough(false)
        for player in players { try await rest(player) }
        return report(try await verdict())
    }

    private func report(_ faults: [String]) -> Report {
        Report(seed: seed, policy: policy, saves: ledger.withLock { $0.count }, faults: faults)
    }

    // MARK: Events

    private func strike() async throws {
        switch random.next() % 10 {
        case 0..<4:
            let player = players[Int(random.next() % 4)]
            try await kill(player)
            try await Task.sleep(for: .milliseconds(random.next() % 700))
            try await start(player)
            try work(player)
        case 4..<6:
            try await servers.strike(&random, proxy)
        case 6..<8 where backing == .postgreSQL:
            // Its connections break, that of the lock among them.
            let schema = schema
            _ = try await onThread {
                try PostgresServer.shared.get().sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(schema)' AND random() < 0.6"
                )
            }
        default: break
        }
    }

    private func start(_ player: Player) async throws {
        var options = ["syncConflictResolutionPolicy=\(policy)"]
        if player.place.hasPrefix("postgres:") {
            options += ["backingStoreType=PostgreSQL", "postgresSchema=\(schema)", "postgresApplicationName=\(schema)"]
        }
        let process = try TestProcess(place: player.place, server: proxy.url, options: options)
        player.process = process
        let line = try await process.nextLine()
        guard line?.hasPrefix("ready") == true else {
            throw TestFailure("\(player.name) does not start: \(line ?? "it has ended")")
        }
    }

    private func work(_ player: Player) throws {
        guard let process = player.process else { return }
        try process.send("work \(player.name) \(random.next() >> 16) \(ledger.withLock { $0.number } + 1_000)")
        let (ledger, name) = (ledger, player.name)
        // Ends with the process, or with its answer to `rest`.
        player.reader = Task {
            while let line = try await process.nextLine(), line != "rested" {
                ledger.withLock { $0.take(line, of: name) }
            }
            ledger.withLock { $0.ended(name) }
        }
    }

    private func kill(_ player: Player) async throws {
        player.process?.kill()
        try await player.reader?.value
    }

    private func rest(_ player: Player) async throws {
        try player.process?.send("rest")
        try await player.reader?.value
    }

    // MARK: The verdict

    /// Returns the faults when everything that was under way has arrived.
    private func verdict() async throws -> [String] {
        var dumps: [[String]] = [], standing: [String] = []
        let clock = ContinuousClock(), limit = clock.now + .seconds(60)
        repeat {
            (dumps, standing) = ([], [])
            for player in players {
                guard let process = player.process else { continue }
                let synced = try await process.ask("sync")
                standing.append("\(player.name): \(synced), \(try await process.ask("status"))")
            }
            for player in players { if let process = player.process { dumps.append(try await dump(process)) } }
            let isStill = standing.allSatisfy { $0.hasSuffix(" 0 0") && !$0.contains("failed") }
            if isStill, Set(dumps).count == 1 { break }
            try await Task.sleep(for: .milliseconds(300))
        } while clock.now < limit
        let fresh = try TestProcess(place: folder.appending(path: "fresh").path, server: proxy.url)
        _ = try await fresh.nextLine()
        _ = try await fresh.ask("sync")
        let truth = try await dump(fresh)
        fresh.kill()
        var faults = ledger.withLock { $0.faults + $0.broken(by: truth) }
        for (player, dump) in zip(players, dumps) where dump != truth {
            let more = Set(dump).subtracting(truth).sorted(), less = Set(truth).subtracting(dump).sorted()
            faults.append("\(player.name) has \(more), a new device \(less) (\(standing))")
        }
        return faults
    }

    private func dump(_ process: TestProcess) async throws -> [String] {
        try await process.ask("dump").split(separator: " ").dropFirst().map(String.init)
    }

    private func end() async {
        for player in players { player.process?.kill() }
        proxy.stop()
        servers.stop()
        try? FileManager.default.removeItem(at: folder)
        guard backing == .postgreSQL else { return }
        let schema = schema
        _ = try? await onThread { try PostgresServer.shared.get().sql("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE") }
    }
}
