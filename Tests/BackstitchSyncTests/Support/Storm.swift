import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport

/// A run of users at work, each with a process. Meanwhile connections are cut and late, answers are lost, and processes
/// and the servers are killed.
// Each of its parts is used by one task at a time.
final class Storm: @unchecked Sendable {
    /// The users, and what they work on.
    enum Cast: Sendable, CustomStringConvertible {
        /// One user: two processes on one store, and two more devices.
        case household(SyncBacking)
        /// This number of users: one shares a zone with the others.
        case list(users: Int)

        var backing: SyncBacking { if case .household(let backing) = self { backing } else { .sqlite } }

        var description: String {
            switch self {
            case .household(let backing): backing.rawValue
            case .list(let users): "a list of \(users) users"
            }
        }
    }

    struct Report: Sendable {
        var seed: UInt64
        var policy: String
        var saves: Int
        /// How many processes of users, and of the server, were killed.
        var kills: Int
        var serverKills: Int
        /// How many connections were cut.
        var cuts: Int
        var faults: [String]
    }

    /// A user and the process that he works with.
    private final class Player {
        let name: String
        let place: String
        /// The guest of the shared zone; nil for its owner.
        let guest: String?
        var process: TestProcess?
        var reader: Task<Void, any Error>?

        init(_ name: String, at place: String, guest: String? = nil) {
            self.name = name
            self.place = place
            self.guest = guest
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
    private var (kills, serverKills) = (0, 0)

    static func run(seed: UInt64, _ cast: Cast, nodes: Int, seconds: Double) async throws -> Report {
        let storm = try await Storm(seed, cast, nodes)
        do {
            let report = try await storm.live(seconds)
            await storm.end()
            return report
        } catch {
            await storm.end()
            throw error
        }
    }

    private init(_ seed: UInt64, _ cast: Cast, _ nodes: Int) async throws {
        self.seed = seed
        backing = cast.backing
        policy = seed % 2 == 0 ? "serverWins" : "clientWins"
        random = SeededGenerator(seed: seed)
        let name = ObjectIDGenerator().next().uuidString
        schema = "storm-\(name.lowercased())"
        folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-storm-\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        proxy = try LossyProxy(seed: seed)
        servers = try await StormServers(nodes, in: folder.appending(path: "server"))
        proxy.lead(to: servers.ports)
        players = try await players(of: cast)
    }

    private func players(of cast: Cast) async throws -> [Player] {
        func folder(_ name: String) -> String { self.folder.appending(path: name).path }
        switch cast {
        case .household(let backing):
            var shared = folder("shared")
            if backing == .postgreSQL {
                shared = try await onThread { try PostgresServer.shared.get().url.absoluteString }
            }
            return [
                Player("P", at: shared), Player("Q", at: shared), Player("C", at: folder("C")),
                Player("D", at: folder("D")),
            ]
        case .list(let users):
            return (0..<users).map { number in
                Player("U\(number)", at: folder("U\(number)"), guest: number == 0 ? nil : "guest\(number)")
            }
        }
    }

    private func live(_ seconds: Double) async throws -> Report {
        for player in players { try await start(player) }
        guard let first = players[0].process else { return report([]) }
        _ = try await first.ask("tags red green blue")
        try await share(of: first)
        for player in players { try work(player) }
        proxy.setRough(true)
        let clock = ContinuousClock(), end = clock.now + .seconds(seconds)
        // On a busy machine there are few strikes in that time, and none may have been a kill yet.
        while clock.now < end || isCalm && clock.now < end + .seconds(60) {
            try await Task.sleep(for: .milliseconds(200 + Int(random.next() % 1_000)))
            try await strike()
        }
        proxy.setRough(false)
        for player in players { try await rest(player) }
        return report(try await verdict())
    }

    /// Whether no process was killed yet, or no connection was cut.
    private var isCalm: Bool { kills + serverKills == 0 || proxy.cuts == 0 }

    /// Lets the guests in.
    private func share(of owner: TestProcess) async throws {
        let guests = players.filter { $0.guest != nil }
        guard !guests.isEmpty else { return }
        _ = try await owner.ask("sync")
        let answer = try await owner.ask("share")
        for guest in guests {
            let accepted = try await guest.process?.ask("accept \(answer.split(separator: " ").last ?? "")")
            guard accepted?.hasPrefix("accepted") == true else { throw TestFailure("\(guest.name): \(accepted ?? "")") }
            _ = try await guest.process?.ask("sync")
        }
    }

    private func report(_ faults: [String]) -> Report {
        Report(
            seed: seed, policy: policy, saves: ledger.withLock { $0.count }, kills: kills, serverKills: serverKills,
            cuts: proxy.cuts, faults: faults)
    }

    // MARK: Events

    private func strike() async throws {
        switch random.next() % 10 {
        case 0..<4:
            let player = players[Int(random.next() % UInt64(players.count))]
            try await kill(player)
            kills += 1
            try await Task.sleep(for: .milliseconds(random.next() % 700))
            try await start(player)
            try work(player)
        case 4..<6:
            try await servers.strike(&random, proxy)
            serverKills += 1
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
        if let guest = player.guest { options += ["syncDatabase=shared", "syncWebAuthToken=\(guest)"] }
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
